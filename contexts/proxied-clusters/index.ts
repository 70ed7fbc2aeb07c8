export type { Speakers, TargetDirectory } from './application/ports.ts';
export type { ClusterState, Observation } from './domain/proxied-cluster.ts';
