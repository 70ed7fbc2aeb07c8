import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { findFiles, ROOT } from '../../scripts/repository.ts';

type Sources = Readonly<Record<string, string>>;

const WORKFLOW = /\bdefineWorkflow(?:<[^(]*>)?\(\s*'([^']+)'/g;
const TEST = /\.(?:test|soak)\.ts$/;
/** Workflows of suites and benches replay nothing that is kept. Those of `kit/durable/testing` have a table of cases. */
const NOT_SHIPPED = /(?:^|\/)testing\/|^bench\//;

/** The workflows without a test beside them that runs their body by `assertPureWorkflow`. */
function withoutPurityTest(sources: Sources): string[] {
  const files = Object.entries(sources);
  return files.flatMap(([file, text]) => {
    if (TEST.test(file) || NOT_SHIPPED.test(file)) return [];
    const beside = files.filter(([other]) => TEST.test(other) && dirname(other) === dirname(file));
    return [...text.matchAll(WORKFLOW)].flatMap(([, name = '']) => {
      const isTested = beside.some(([, test]) => test.includes('assertPureWorkflow(') && test.includes(`'${name}'`));
      return isTested ? [] : [`${file}: ${name}`];
    });
  });
}

test('every workflow that is shipped has its purity test beside it', async () => {
  const files = await findFiles('**/*.ts');
  const sources = Object.fromEntries(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
  const found = Object.entries(sources).flatMap(([file, text]) =>
    TEST.test(file) || NOT_SHIPPED.test(file) ? [] : [...text.matchAll(WORKFLOW)].map(([, name]) => name),
  );
  assert.ok(found.includes('deployment-pipeline'), 'the gate sees the workflows');
  assert.deepEqual(withoutPurityTest(sources), []);
});

test('one without is found', () => {
  const body = 'async (ctx) => undefined);';
  const planted = {
    'contexts/a/w.ts': `export const w = defineWorkflow('w', ${body}`,
    'contexts/a/typed.ts': `export const t = defineWorkflow<{ key: string }, Payload>('typed', ${body}`,
    'contexts/a/tested.ts': `export const x = defineWorkflow(\n  'tested',\n ${body}`,
    'contexts/a/tested.test.ts': `await assertPureWorkflow({ workflow: 'tested' });`,
    'contexts/b/w.test.ts': `await assertPureWorkflow({ workflow: 'w' });`,
    'contexts/a/testing/v.ts': `export const v = defineWorkflow('v', ${body}`,
  };
  assert.deepEqual(withoutPurityTest(planted), ['contexts/a/w.ts: w', 'contexts/a/typed.ts: typed']);
});
