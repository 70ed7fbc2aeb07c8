import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { BUILT_IN_GATES } from './gates/built-in-gates.ts';
import { WAIT_KINDS } from './machine/explain-wait.ts';
import { FAILURE_REASONS, MEMBER_STATUSES } from './machine/member.ts';
import { OUTCOMES, STOP_REASONS } from './machine/phase.ts';
import { BUILT_IN_ROLLOUTS } from './strategies/built-in-rollouts.ts';

const lines = readFileSync(new URL('./README.md', import.meta.url), 'utf8').split('\n');

for (const { header, known } of [
  { header: '| type | fields | plan |', known: [...BUILT_IN_ROLLOUTS.keys()] },
  { header: '| type | fields | passes when |', known: [...BUILT_IN_GATES.keys()] },
  { header: '| outcome | when |', known: OUTCOMES },
  { header: '| stop reason | what happened |', known: STOP_REASONS },
  { header: '| status | meaning |', known: MEMBER_STATUSES },
  { header: '| failure | when | counts |', known: FAILURE_REASONS },
  { header: '| wait | for |', known: WAIT_KINDS },
]) {
  test(`the README lists exactly what there is under ${header}`, () => {
    const begin = lines.indexOf(header);
    assert.notEqual(begin, -1);
    const rows = lines.slice(begin + 2);
    const listed = rows.slice(0, rows.indexOf('')).map((row) => row.split('`')[1]);
    assert.deepEqual(listed, known);
  });
}
