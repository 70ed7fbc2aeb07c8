import type { KubeClient } from '#kit/kube';
import type { TestCluster } from '#testing/clusters';

/** The two API servers that managers write to. */
export const WORKLOADS = ['a', 'b'] as const;
export type WorkloadName = (typeof WORKLOADS)[number];

export interface Workload {
  readonly cluster: TestCluster;
  readonly client: KubeClient;
}
