import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExecutorFact } from '#kit/durable/embedded';
import { createLogger } from '#kit/telemetry';
import { createMetrics } from '#kit/telemetry/metrics';
import { PATIENCE_MS } from '#testing/patience';
import { watchExecutor } from './executor-watch.ts';

const ROWS: readonly { why: string; facts: readonly ExecutorFact[]; probe: string; metric: RegExp; line?: object }[] = [
  {
    why: 'before anything, it stands by',
    facts: [],
    probe: 'standing by',
    metric: /^fleetshift_workflow_executor 0$/m,
  },
  {
    why: 'the lease makes it the executor',
    facts: [{ kind: 'leading', epoch: 7 }],
    probe: 'executing',
    metric: /^fleetshift_workflow_executor 1$/m,
    line: { level: 'info', msg: 'executing workflows' },
  },
  {
    why: 'an interruption takes that from it, and is a warning',
    facts: [
      { kind: 'leading', epoch: 7 },
      { kind: 'interrupted', error: new Error('another executor took over'), retryInMs: 100 },
    ],
    probe: 'standing by',
    metric: /^fleetshift_workflow_interruptions_total 1$/m,
    line: { level: 'warn', retryInMs: 100 },
  },
  {
    why: 'a parked workflow is a warning that names it and the reason',
    facts: [
      { kind: 'leading', epoch: 7 },
      { kind: 'parked', workflow: 'web-17', reason: { code: 'REPLAY_DIVERGED', message: 'step 2: recorded a, now b' } },
    ],
    probe: 'executing',
    metric: /^fleetshift_workflows_parked_total 1$/m,
    line: { level: 'warn', subject: 'workflows/web-17', code: 'REPLAY_DIVERGED', reason: 'step 2: recorded a, now b' },
  },
  {
    why: 'what was brought back is counted once',
    facts: [{ kind: 'recovered', open: 3 }],
    probe: 'standing by',
    metric: /^fleetshift_workflows_parked_total 0$/m,
    line: { level: 'info', count: 3 },
  },
  {
    why: 'a workflow that ended is counted by how it ended',
    facts: [
      { kind: 'ended', workflow: 'web-17', status: 'completed' },
      { kind: 'ended', workflow: 'web-18', status: 'completed' },
    ],
    probe: 'standing by',
    metric: /^fleetshift_workflows_ended_total\{status="completed"\} 2$/m,
    line: { level: 'debug', subject: 'workflows/web-18' },
  },
];

for (const { why, facts, probe, metric, line } of ROWS) {
  test(why, async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'debug', destination: { write: (text) => void lines.push(text) } });
    const metrics = createMetrics();
    const watch = watchExecutor({ log, metrics });
    for (const fact of facts) watch.onFact(fact);
    assert.equal(await watch.probe.check(AbortSignal.timeout(PATIENCE_MS)), probe);
    assert.match(await metrics.text(), metric);
    assert.equal(lines.length, facts.length);
    if (line !== undefined) assert.partialDeepStrictEqual(JSON.parse(lines.at(-1) ?? ''), line);
  });
}
