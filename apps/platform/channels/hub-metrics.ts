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

/** Gauges of the hub's current state, in addition to the counters. */
export function hubMetrics({ hub, metrics, sleep }: HubMetricsDeps): Runnable {
  const gauges = {
    sessions: metrics.gauge({ name: 'fleetshift_fleetlets', help: 'Fleetlets connected to this process.' }),
    targets: metrics.gauge({
      name: 'fleetshift_fleetlet_targets',
      help: 'Targets that this process reaches through fleetlets.',
    }),
    bufferedBytes: metrics.gauge({
      name: 'fleetshift_channel_buffered_bytes',
      help: 'Bytes buffered for fleetlets until they acknowledge them.',
    }),
    syncs: metrics.gauge({
      name: 'fleetshift_fleetlet_syncs',
      help: 'Targets whose inventory was requested and has not arrived yet.',
    }),
    syncsWaiting: metrics.gauge({
      name: 'fleetshift_fleetlet_syncs_waiting',
      help: 'Targets that wait for their inventory to be requested.',
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
