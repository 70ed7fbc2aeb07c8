export type { AddressRules, Speakers, TargetDirectory } from './application/ports.ts';
export type { Observation } from './domain/proxied-cluster.ts';
