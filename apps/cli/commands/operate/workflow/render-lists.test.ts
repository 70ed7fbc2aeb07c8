import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkflowHistoryResource } from '#protocol/api';
import { renderHistory, renderWorkflows } from './render-lists.ts';

const time = '2030-01-01T00:00:01.000Z';

test('workflows, one a line', () => {
  const startTime = '2030-01-01T00:00:00.000Z';
  const reason = { code: 'REPLAY_DIVERGED', message: 'x'.repeat(100) };
  assert.equal(
    renderWorkflows([
      { id: 'web-17', name: 'rollout', status: 'parked', startTime, run: 1, reason },
      { id: 'a', name: 'nap', status: 'completed', startTime, endTime: time, run: 2, parent: 'web-17' },
    ]),
    `ID      WORKFLOW  STATUS     STARTED               ENDED                 REASON
web-17  rollout   parked     2030-01-01T00:00:00Z  -                     REPLAY_DIVERGED: ${'x'.repeat(42)}…
a       nap       completed  2030-01-01T00:00:00Z  2030-01-01T00:00:01Z
`,
  );
});

test('a history, one a line', () => {
  const entries: WorkflowHistoryResource[] = [
    { kind: 'activity', step: 1, name: 'buy', input: { thing: 'x'.repeat(60) }, result: null, time },
    { kind: 'activity', step: 2, name: 'buy', input: 1, error: { code: 'SoldOut', message: 'no moonlight' }, time },
    { kind: 'timer', step: 3, name: '', input: 5000, time },
    { kind: 'signal', step: 0, name: 'approve', result: 'by Ann', time },
    { kind: 'cancel', step: 0, name: 'no longer needed', time },
  ];
  assert.equal(
    renderHistory(entries),
    `STEP  KIND      NAME              INPUT                                             RESULT                         TIME
1     activity  buy               {"thing":"${'x'.repeat(37)}…  null                           2030-01-01T00:00:01Z
2     activity  buy               1                                                 failed: SoldOut: no moonlight  2030-01-01T00:00:01Z
3     timer     -                 5000                                              -                              2030-01-01T00:00:01Z
-     signal    approve           -                                                 "by Ann"                       2030-01-01T00:00:01Z
-     cancel    no longer needed  -                                                 -                              2030-01-01T00:00:01Z
`,
  );
});

test('no history yet', () => assert.match(renderHistory([]), /No events yet/));
