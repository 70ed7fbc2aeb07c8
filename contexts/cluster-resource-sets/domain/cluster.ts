import type { Labels } from '#kit/std';
import type { NamespacedName } from './resource-set.ts';

export interface Cluster extends NamespacedName {
  readonly uid: string;
  readonly labels: Labels;
  readonly isDeleting: boolean;
  /** By its annotation. `spec.paused` pauses the provisioning of the cluster, not what is applied to it. */
  readonly isPaused: boolean;
  readonly hasInfrastructure: boolean;
  readonly isProvisioned: boolean;
}

/**
 * Why the cluster cannot be reached yet, or undefined. Without Cluster API nothing marks a cluster as provisioned, so
 * this only counts for clusters that name an infrastructure.
 */
export function whyNotYet({ hasInfrastructure, isProvisioned }: Cluster): string | undefined {
  return hasInfrastructure && !isProvisioned ? 'its infrastructure is not provisioned yet' : undefined;
}
