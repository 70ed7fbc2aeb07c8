import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { GATES } from '../../scripts/gates.ts';
import { ROOT } from '../../scripts/repository.ts';
import { LINT_ALLOWED, LINT_PLANTS } from './lint-plants.ts';
import { plantHouse } from './planted-house.ts';

describe('the lint gate', () => {
  it('reports each planted case, and nothing else', async (test) => {
    const planted = Object.fromEntries(LINT_PLANTS.map(({ path, source }) => [path, source]));
    const house = await plantHouse(test, { ...planted, ...LINT_ALLOWED });
    const { code, output } = await house.run(GATES.lint, '--format=json');
    assert.equal(code, 1);
    const want = LINT_PLANTS.map(({ path, rule }) => `${path}: ${rule}`);
    assert.deepEqual(reported(output), want.toSorted());
  });

  it('lets a clean house through', async (test) => {
    const house = await plantHouse(test, LINT_ALLOWED);
    const { code, output } = await house.run(GATES.lint);
    assert.equal(code, 0, output);
  });

  it('has a planted case for each rule that the configuration names', () => {
    const planted = new Set(LINT_PLANTS.map(({ rule }) => rule));
    const missing = configuredRules().filter((rule) => !planted.has(rule));
    assert.deepEqual(missing, []);
  });
});

interface Report {
  readonly diagnostics: readonly { readonly code?: string; readonly message: string; readonly filename: string }[];
}

/** `eslint(no-var)` and `typescript(no-deprecated)` become `no-var` and `typescript/no-deprecated`. */
function reported(output: string): string[] {
  const { diagnostics } = JSON.parse(output) as Report;
  const lines = diagnostics.map(({ code, message, filename }) => {
    if (code === undefined)
      return `${filename}: ${message.startsWith('Unused oxlint-disable') ? 'unused directive' : message}`;
    return `${filename}: ${code.replace(/^eslint\((.*)\)$/, '$1').replace(/^(.*)\((.*)\)$/, '$1/$2')}`;
  });
  return lines.toSorted();
}

function configuredRules(): string[] {
  const text = readFileSync(join(ROOT, '.oxlintrc.jsonc'), 'utf8').replaceAll(/^\s*\/\/.*$/gm, '');
  const { rules, overrides } = JSON.parse(text) as {
    rules: Record<string, unknown>;
    overrides: { rules: Record<string, unknown> }[];
  };
  return [rules, ...overrides.map((override) => override.rules)].flatMap((part) => Object.keys(part));
}
