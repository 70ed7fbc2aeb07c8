import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GATES } from '../../scripts/gates.ts';
import { findFiles, ROOT } from '../../scripts/repository.ts';
import { runCommand } from '../../scripts/run-command.ts';
import { PATIENCE_MS } from '../patience.ts';
import { ARROW_PLANTS, ARROWS_ALLOWED, ROOMS } from './arrow-plants.ts';
import { plantHouse } from './planted-house.ts';

describe('the arrow gate', () => {
  for (const { how, statement } of [
    {
      how: 'values',
      statement: (specifier: string) => `import * as there from '${specifier}';\nexport const here = there;\n`,
    },
    {
      how: 'types',
      statement: (specifier: string) =>
        `import type * as There from '${specifier}';\nexport type Here = typeof There;\n`,
    },
    { how: 'values from a facade', statement: (specifier: string) => `export { something } from '${specifier}';\n` },
    {
      how: 'values at run time',
      statement: (specifier: string) => `export const there = () => import('${specifier}');\n`,
    },
  ]) {
    it(`reports each planted import of ${how}, and nothing else`, async (test) => {
      const house = await plantHouse(test, sources(statement));
      const { output } = await house.run(GATES.arrows, '--output-type=json');
      const want = ARROW_PLANTS.map(({ rule, from, to }) => `${rule}: ${from} -> ${to}`);
      assert.deepEqual(violations(parse(output)), want.toSorted());
    });
  }

  it('is closed by a violation, and open without one', async (test) => {
    const innocent = { 'kit/http/one.ts': "import '#kit/std';\n", 'kit/std/index.ts': 'export {};\n' };
    const open = await plantHouse(test, innocent);
    assert.equal((await open.run(GATES.arrows)).code, 0);
    const closed = await plantHouse(test, { ...innocent, 'kit/http/two.ts': "import '#kit/nowhere';\n" });
    assert.notEqual((await closed.run(GATES.arrows)).code, 0);
  });

  it('has a planted import for each rule', async (test) => {
    const house = await plantHouse(test, {});
    const { output } = await house.run(GATES.arrows, '--output-type=json');
    const rules = parse(output).summary.ruleSetUsed.forbidden.map(({ name }) => name);
    const planted = new Set(ARROW_PLANTS.map(({ rule }) => rule));
    assert.deepEqual([...planted].toSorted(), rules.toSorted());
  });

  it('sees every file of this repository', async () => {
    const { output } = await runCommand(
      [...GATES.arrows.command, '--output-type=json'],
      { cwd: ROOT },
      AbortSignal.timeout(PATIENCE_MS),
    );
    const seen = new Set(parse(output).modules.map(({ source }) => source));
    const unseen = (await findFiles('**/*.ts')).filter((file) => !seen.has(file));
    assert.deepEqual(unseen, []);
  });
});

interface Cruise {
  readonly modules: readonly { readonly source: string }[];
  readonly summary: {
    readonly violations: readonly {
      readonly from: string;
      readonly to: string;
      readonly rule: { readonly name: string };
    }[];
    readonly ruleSetUsed: { readonly forbidden: readonly { readonly name: string }[] };
  };
}

function sources(statement: (specifier: string) => string): Record<string, string> {
  const empty = ROOMS.map((path) => [path, 'export {};\n'] as const);
  const allowed = ARROWS_ALLOWED.map(([from, specifier]) => [from, statement(specifier)] as const);
  const planted = ARROW_PLANTS.map(({ from, imports }) => [from, statement(imports)] as const);
  return Object.fromEntries([...empty, ...allowed, ...planted]);
}

function parse(output: string): Cruise {
  return JSON.parse(output) as Cruise;
}

/** Packages are outside of the planted repository, behind a symlink. */
function violations({ summary }: Cruise): string[] {
  const lines = summary.violations.map(
    ({ rule, from, to }) => `${rule.name}: ${from} -> ${to.replace(/^.*(?=node_modules\/)/, '')}`,
  );
  return lines.toSorted();
}
