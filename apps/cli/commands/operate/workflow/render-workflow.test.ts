import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkflowResource } from '#protocol/api';
import { renderWorkflow } from './render-workflow.ts';

const NOW = Date.parse('2030-01-01T00:10:00.000Z');

function workflow(its: Partial<WorkflowResource>): WorkflowResource {
  const startTime = '2030-01-01T00:00:00.000Z';
  const unremarkable = { id: 'web-17', name: 'rollout', status: 'running', startTime, run: 1 } as const;
  return { ...unremarkable, input: { wave: 1 }, historyLength: 3, waitingFor: [], ...its };
}

test('everything that there is to say of one that ended', () => {
  const reason = { code: 'RangeError', message: 'slipped' };
  const ended = workflow({ status: 'failed', reason, endTime: '2030-01-01T00:05:00.000Z', parent: 'web', run: 2 });
  assert.equal(
    renderWorkflow(ended, NOW),
    `Id        web-17
Workflow  rollout
Status    failed
Reason    RangeError: slipped
Started   2030-01-01T00:00:00Z (10m ago)
Ended     2030-01-01T00:05:00Z (5m ago)
Parent    web
Input     {"wave":1}
History   3 events in run 2
`,
  );
});

const since = '2030-01-01T00:01:00.000Z';
const lastError = { code: 'SoldOut', message: 'no moonlight' };
const WAITS: readonly { why: string; waits: WorkflowResource['waitingFor'][number]; row: RegExp }[] = [
  {
    why: 'a first try',
    waits: { kind: 'activity', name: 'buy', step: 2, since, attempt: 1 },
    row: /^2 +activity +buy +2030-01-01T00:01:00Z \(9m ago\) +it succeeds: attempt 1 is in progress$/m,
  },
  {
    why: 'a try that comes, after one that did not work',
    waits: { kind: 'activity', name: 'buy', step: 2, since, attempt: 3, until: '2030-01-01T00:20:00.000Z', lastError },
    row: /it succeeds: attempt 3 starts 2030-01-01T00:20:00Z \(in 10m\); the last error was SoldOut: no moonlight$/m,
  },
  {
    why: 'a try that should have begun',
    waits: { kind: 'activity', name: 'buy', step: 2, since, attempt: 3, until: '2030-01-01T00:09:00.000Z', lastError },
    row: /it succeeds: attempt 3 is in progress; the last error was SoldOut: no moonlight$/m,
  },
  {
    why: 'a timer',
    waits: { kind: 'timer', name: '', step: 1, since, until: '2030-01-01T03:10:00.000Z' },
    row: /^1 +timer +- .* the timer fires: 2030-01-01T03:10:00Z \(in 3h\)$/m,
  },
  {
    why: 'a signal, of which nobody noted since when',
    waits: { kind: 'signal', name: 'approve', step: 0 },
    row: /^- +signal +approve +- +it receives the signal "approve"$/m,
  },
  {
    why: 'a child',
    waits: { kind: 'child', name: 'one cluster', step: 4, since },
    row: /the child ends; find it with "fleetshift workflow list --name 'one cluster'"$/m,
  },
];

for (const { why, waits, row } of WAITS) {
  test(`it waits for ${why}`, () => assert.match(renderWorkflow(workflow({ waitingFor: [waits] }), NOW), row));
}

for (const { why, its, says } of [
  { why: 'paused', its: { status: 'paused' as const }, says: /until "fleetshift workflow resume web-17"/ },
  {
    why: 'paused, under an id for which a shell needs quotes',
    its: { id: "it's", status: 'paused' as const },
    says: /resume 'it'\\''s'"/,
  },
  { why: 'parked', its: { status: 'parked' as const }, says: /resumes by itself once matching code is started/ },
  { why: 'running and waiting for nothing', its: {}, says: /\/readyz/ },
]) {
  test(`the way out when it is ${why}`, () => assert.match(renderWorkflow(workflow(its), NOW), says));
}

test('a payload is cut, and never moves the cursor', () => {
  const shown = renderWorkflow(workflow({ input: { text: `\u009b2J${'x'.repeat(5_000)}` } }), NOW);
  assert.match(shown, /^Input {5}\{"text":" 2Jx{180,}…$/m);
});
