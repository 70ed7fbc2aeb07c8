import type { TargetCounts, TargetRouter } from '#contexts/orchestration';
import { type RunningRollout, runningRollouts } from '#contexts/orchestration/adapters';
import type { Runnable } from '#kit/reconcile';
import type { Clock, Sleep } from '#kit/std';
import type { Storage } from '#kit/storage';
import type { Logger, Metrics } from '#kit/telemetry';
import type { Acknowledgement } from '#protocol/delivery';

export interface RolloutMetricsDeps {
  readonly storage: Storage;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: Logger;
}

const EVERY_MS = 15_000;
const LOOK_MS = 10_000;
const PHASES = ['Planned', 'Running', 'Paused'] as const;
const STATES = ['underWay', 'failed', 'offline'] as const satisfies readonly (keyof TargetCounts)[];

/** Metrics of rollouts, instance-wide: every process reports the same. */
export function rolloutMetrics(deps: RolloutMetricsDeps): Runnable {
  const { storage, clock, sleep, log } = deps;
  const show = gauges(deps.metrics);
  return {
    name: 'rollout metrics',
    async run(signal) {
      for (;;) {
        const within = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
        try {
          show(await storage.read(runningRollouts, within), clock.now());
        } catch (err) {
          signal.throwIfAborted();
          log.warn({ err, retryInMs: EVERY_MS }, 'rollout metrics not updated; retrying');
        }
        await sleep(EVERY_MS, signal);
      }
    },
  };
}

function gauges(metrics: Metrics): (rollouts: readonly RunningRollout[], now: number) => void {
  const rollouts = metrics.gauge({
    name: 'fleetshift_rollouts',
    help: 'Rollouts in progress, by phase.',
    labels: ['phase'],
  });
  const still = metrics.gauge({
    name: 'fleetshift_rollouts_stalled_seconds',
    help: 'Seconds since the rollout that has waited longest made progress; 0 when no rollout is in progress.',
  });
  const targets = metrics.gauge({
    name: 'fleetshift_rollout_targets',
    help: 'Targets of deployments with a rollout in progress, by state.',
    labels: ['state'],
  });
  return (all, now) => {
    for (const phase of PHASES) rollouts.set({ phase }, all.filter((each) => each.phase === phase).length);
    still.set({}, Math.max(0, ...all.map(({ updateTime }) => now - updateTime)) / 1_000);
    for (const state of STATES)
      targets.set(
        { state },
        all.reduce((sum, { counts }) => sum + counts[state], 0),
      );
  };
}

/** The same router, with metrics of the agents' answers and response times. */
export function meteredRouter(router: TargetRouter, metrics: Metrics): TargetRouter {
  const taken = metrics.histogram({
    name: 'fleetshift_delivery_handover_seconds',
    help: 'How long agents took to answer an order, by answer.',
    labels: ['answer'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30],
  });
  const observe = (answer: Acknowledgement['kind'] | 'none', begun: number): void =>
    taken.observe({ answer }, (performance.now() - begun) / 1_000);
  return {
    cancel: (order, signal) => router.cancel(order, signal),
    preview: (order, signal) => router.preview(order, signal),
    async dispatch(order, signal) {
      const begun = performance.now();
      try {
        const answer = await router.dispatch(order, signal);
        observe(answer.kind, begun);
        return answer;
      } catch (error) {
        observe('none', begun);
        throw error;
      }
    },
  };
}
