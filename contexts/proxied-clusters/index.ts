export type { AddressRules, Speakers, TargetDirectory } from './application/ports.ts';
export type { ClusterState, Observation } from './domain/proxied-cluster.ts';
