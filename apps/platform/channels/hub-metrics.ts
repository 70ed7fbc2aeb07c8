import type { SessionHub } from '#contexts/channels';
import type { Runnable } from '#kit/reconcile';
import type { Sleep } from '#kit/std';
import type { Metrics } from '#kit/telemetry';

export interface HubMetricsDeps {
  readonly hub: Pick<SessionHub, 'stats'>;
  readonly metrics: Metrics;
  readonly sleep: Sleep;
}

const EVERY_MS = 2_000;

/** How much there is, beside what happens. */
export function hubMetrics({ hub, metrics, sleep }: HubMetricsDeps): Runnable {
  const gauges = {
    sessions: metrics.gauge({ name: 'fleetshift_fleetlets', help: 'Fleetlets that are connected to this process.' }),
    targets: metrics.gauge({
      name: 'fleetshift_fleetlet_targets',
      help: 'Targets that this process reaches through fleetlets.',
    }),
    bufferedBytes: metrics.gauge({
      name: 'fleetshift_channel_buffered_bytes',
      help: 'What is kept for fleetlets until they have acknowledged it.',
    }),
    syncs: metrics.gauge({
      name: 'fleetshift_fleetlet_syncs',
      help: 'Targets that were asked for all that they have and have not told it yet.',
    }),
    syncsWaiting: metrics.gauge({
      name: 'fleetshift_fleetlet_syncs_waiting',
      help: 'Targets that wait to be asked for all that they have.',
    }),
  };
  const set = (): void => {
    const stats = hub.stats();
    for (const name of ['sessions', 'targets', 'bufferedBytes', 'syncs', 'syncsWaiting'] as const) {
      gauges[name].set({}, stats[name]);
    }
  };
  return {
    name: 'fleetlet metrics',
    run: async (signal) => {
      while (!signal.aborted) {
        set();
        await sleep(EVERY_MS, signal);
      }
    },
  };
}
