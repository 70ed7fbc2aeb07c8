import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TargetRouter } from '#contexts/orchestration';
import { sql } from '#kit/storage';
import { createMetrics } from '#kit/telemetry/metrics';
import { SCHEMA_MODULES } from '#runtime/instance/schema';
import { freshDatabase } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import { aDeployment } from '../../../contexts/orchestration/testing/a-revision.ts';
import { memoryLogger } from '../../../kit/telemetry/testing/index.ts';
import { meteredRouter, rolloutMetrics } from './rollout-metrics.ts';

const signal = new AbortController().signal;

test('rollouts that are under way are counted, with the time of the stillest; those at rest are not looked at', async (t) => {
  const database = await freshDatabase('sqlite');
  t.after(() => database.dispose());
  const storage = await database.open(SCHEMA_MODULES);
  const clock = new FakeClock();
  const { status } = aDeployment();
  const insert = (name: string, its: { phase?: string; run: number | null; rollout: number | null; ageMs: number }) => {
    const counts = { ...status.counts, underWay: 2, failed: 1 };
    const kept = JSON.stringify({ ...status, counts, rollout: { phase: its.phase } });
    return sql`INSERT INTO deployments (uid, name, workspace, workspace_path, labels, spec, rollout_state, generation,
        observed_generation, revision, rollout, status, version, create_time, update_time, run)
      VALUES (${name}, ${name}, ${'web'}, ${'/root/web/'}, ${'{}'}, ${'{}'}, ${'running'}, ${1}, ${1}, ${1},
        ${its.rollout}, ${kept}, ${1}, ${0}, ${clock.now() - its.ageMs}, ${its.run})`;
  };
  await storage.commit(
    [
      insert('moving', { phase: 'Running', run: 1, rollout: 1, ageMs: 1_000 }),
      insert('still', { phase: 'Paused', run: 2, rollout: 1, ageMs: 90_000 }),
      insert('planning', { run: 1, rollout: null, ageMs: 500_000 }),
      insert('at-rest', { phase: 'Finished', run: null, rollout: null, ageMs: 900_000 }),
    ],
    signal,
  );
  const metrics = createMetrics();
  const stop = new AbortController();
  const { log } = memoryLogger();
  const running = rolloutMetrics({ storage, metrics, clock, sleep: clock.sleep, log }).run(stop.signal);
  await clock.untilSleeping();
  const text = await metrics.text();
  for (const line of [
    'fleetshift_rollouts{phase="Running"} 1',
    'fleetshift_rollouts{phase="Paused"} 1',
    'fleetshift_rollouts{phase="Planned"} 0',
    'fleetshift_rollouts_stalled_seconds 90',
    'fleetshift_rollout_targets{state="underWay"} 4',
    'fleetshift_rollout_targets{state="failed"} 2',
  ]) {
    assert.ok(text.includes(`${line}\n`), `${line} is not in\n${text}`);
  }
  stop.abort();
  await assert.rejects(running);
});

test('what became of a handover is told by how long it took, also when nobody answered', async () => {
  const metrics = createMetrics();
  const answers = [async () => ({ kind: 'accepted' }) as const, () => Promise.reject(new RangeError('no'))];
  const router = meteredRouter(
    { dispatch: () => (answers.shift() ?? assert.fail())(), cancel: async () => {}, preview: async () => undefined },
    metrics,
  );
  const order = {} as Parameters<TargetRouter['dispatch']>[0];
  assert.deepEqual(await router.dispatch(order, signal), { kind: 'accepted' });
  await assert.rejects(router.dispatch(order, signal), RangeError);
  const text = await metrics.text();
  for (const answer of ['accepted', 'none']) {
    assert.ok(text.includes(`fleetshift_delivery_handover_seconds_count{answer="${answer}"} 1`), answer);
  }
});
