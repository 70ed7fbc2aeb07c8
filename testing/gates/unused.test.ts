import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GATES } from '../../scripts/gates.ts';
import { plantHouse } from './planted-house.ts';

const MANIFEST = {
  name: 'planted',
  type: 'module',
  imports: { '#contexts/*': './contexts/*/index.ts' },
  dependencies: { pino: '*', fastify: '*' },
  devDependencies: { ajv: '*' },
};

const HOUSE = {
  'package.json': JSON.stringify(MANIFEST),
  'apps/cli/main.ts':
    "import { used } from '#contexts/planted';\nimport { pino } from 'pino';\nimport { stringify } from 'yaml';\n\nused(pino, stringify);\n",
  'contexts/planted/index.ts': "export { unused, used } from './planted.ts';\n",
  'contexts/planted/planted.ts':
    'export function used(..._all: unknown[]): void {}\nexport function unused(): void {}\n',
  'contexts/planted/orphan.ts': 'export {};\n',
  'kit/planted/index.ts': 'export function offered(): void {}\n',
};

interface Report {
  readonly issues: readonly ({ readonly file: string } & Readonly<
    Record<string, readonly { readonly name: string }[]>
  >)[];
}

describe('the gate for what nobody uses', () => {
  it('reports files, exports and dependencies, and what is used without being listed', async (test) => {
    const house = await plantHouse(test, HOUSE);
    const { code, output } = await house.run(GATES.unused, '--reporter=json', '--no-config-hints');
    assert.equal(code, 1);
    const { issues } = JSON.parse(output) as Report;
    const found = issues.flatMap(({ file, ...kinds }) =>
      Object.entries(kinds).flatMap(([kind, names]) => names.map(({ name }) => `${kind}: ${name} (${file})`)),
    );
    assert.deepEqual(found.toSorted(), [
      'dependencies: fastify (package.json)',
      'devDependencies: ajv (package.json)',
      'exports: unused (contexts/planted/index.ts)',
      'exports: unused (contexts/planted/planted.ts)',
      'files: contexts/planted/orphan.ts (contexts/planted/orphan.ts)',
      'files: kit/planted/index.ts (kit/planted/index.ts)',
      'unlisted: yaml (apps/cli/main.ts)',
    ]);
  });
});
