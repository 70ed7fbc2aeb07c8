import type { Labels } from '#kit/std';
import type { NamespacedName } from './resource-set.ts';

export interface Cluster extends NamespacedName {
  readonly uid: string;
  readonly labels: Labels;
  readonly isDeleting: boolean;
  /** By its annotation. `spec.paused` holds up what makes the cluster, not what is put into it. */
  readonly isPaused: boolean;
  readonly hasInfrastructure: boolean;
  readonly isProvisioned: boolean;
}

/**
 * Why there is nobody to ask yet, or undefined. Where Cluster API is not at work nobody says of a cluster that it is
 * provisioned, so this counts only where something is named that does.
 */
export function whyNotYet({ hasInfrastructure, isProvisioned }: Cluster): string | undefined {
  return hasInfrastructure && !isProvisioned ? 'its infrastructure is not provisioned yet' : undefined;
}
