import { type Catalogue, FleetError } from '#kit/std';

export const PROXIED_CLUSTER_ERRORS = {
  KUBECONFIG_UNUSABLE: { category: 'invalid', retry: 'after-change' },
  KUBECONFIG_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  NOT_A_CLUSTER: { category: 'conflict', retry: 'after-change' },
  STORED_CLUSTER_INVALID: { category: 'internal', retry: 'never' },
} as const satisfies Catalogue;

export type ProxiedClusterErrorCode = keyof typeof PROXIED_CLUSTER_ERRORS;

export class ProxiedClusterError extends FleetError<ProxiedClusterErrorCode> {
  get entry() {
    return PROXIED_CLUSTER_ERRORS[this.code];
  }
}

/** `why` must not quote the kubeconfig. */
export function unusable(why: string): ProxiedClusterError {
  return new ProxiedClusterError('KUBECONFIG_UNUSABLE', `This kubeconfig cannot be used here: ${why}.`, {
    faults: [{ path: '/kubeconfig', message: why }],
  });
}

export function kubeconfigNotFound(target: string): ProxiedClusterError {
  return new ProxiedClusterError('KUBECONFIG_NOT_FOUND', `The platform has no kubeconfig of the target ${target}.`, {
    details: { target },
  });
}
