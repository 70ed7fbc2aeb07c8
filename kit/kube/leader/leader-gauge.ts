import type { Gauge, Metrics } from '#kit/telemetry';

/** By the name of the lease, like controller-runtime; once per process. */
export function leaderGauge(metrics: Metrics): Gauge<'name'> {
  return metrics.gauge({
    name: 'leader_election_master_status',
    help: "Whether this process holds the lease: 0 is backup, 1 is master. 'name' identifies the lease.",
    labels: ['name'],
  });
}
