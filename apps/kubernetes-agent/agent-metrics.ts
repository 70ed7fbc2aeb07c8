import type { RequestReport } from '#kit/kube';
import { countRequests } from '#kit/kube/controller';
import type { Metrics } from '#kit/telemetry';
import { createMetrics } from '#kit/telemetry/metrics';
import type { ClusterState } from '#runtime/cluster-agent/clusters/cluster-state';

export interface AgentMetrics extends Pick<Metrics, 'text' | 'contentType'> {
  readonly observe: (report: RequestReport) => void;
}

const STATES = ['Connecting', 'Registering', 'Serving', 'StandingBy', 'Unreachable', 'Refused'] as const;

/** Metrics of the clusters' states, computed on each scrape. */
export function agentMetrics(states: () => ReadonlyMap<string, ClusterState>): AgentMetrics {
  const metrics = createMetrics();
  const clusters = metrics.gauge({
    name: 'fleetshift_kubernetes_agent_clusters',
    help: 'Clusters that this process has to serve, by state.',
    labels: ['state'],
  });
  const serving = metrics.gauge({
    name: 'fleetshift_kubernetes_agent_serving',
    help: 'Whether this process serves the cluster of a target: 1 or 0.',
    labels: ['target'],
  });
  const known = new Set<string>();
  const observe = (): void => {
    const now = states();
    for (const state of STATES) {
      clusters.set({ state }, [...now.values()].filter(({ kind }) => kind === state).length);
    }
    for (const target of new Set([...known, ...now.keys()])) {
      known.add(target);
      serving.set({ target }, now.get(target)?.kind === 'Serving' ? 1 : 0);
    }
  };
  return {
    contentType: metrics.contentType,
    text: () => {
      observe();
      return metrics.text();
    },
    observe: countRequests(metrics),
  };
}
