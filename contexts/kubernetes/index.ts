export { KubernetesAgent, type ServedCluster } from './application/kubernetes-agent.ts';
export type { ClusterPorts } from './application/ports.ts';
export type { OwnPlace } from './domain/own-place.ts';
