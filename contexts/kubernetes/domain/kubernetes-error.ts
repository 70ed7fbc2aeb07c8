import { type Catalogue, FleetError } from '#kit/std';

export const KUBERNETES_ERRORS = {
  RECORD_TORN: { category: 'internal', retry: 'after-change' },
  RECORD_UNREADABLE: { category: 'internal', retry: 'after-change' },
  RECORD_CHANGED: { category: 'conflict', retry: 'after-change' },
  CLUSTER_REBUILT: { category: 'conflict', retry: 'after-change' },
} as const satisfies Catalogue;

export type KubernetesErrorCode = keyof typeof KUBERNETES_ERRORS;

export class KubernetesError extends FleetError<KubernetesErrorCode> {
  get entry() {
    return KUBERNETES_ERRORS[this.code];
  }
}

/** The state read from the cluster is out of date: another agent wrote there, or the cluster was rebuilt. */
export function isOutdated(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError && (error.code === 'RECORD_CHANGED' || error.code === 'CLUSTER_REBUILT');
}
