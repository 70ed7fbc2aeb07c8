import { type Catalogue, FleetError } from '#kit/std';

export const KUBERNETES_ERRORS = {
  INVENTORY_TORN: { category: 'internal', retry: 'after-change' },
  INVENTORY_UNREADABLE: { category: 'internal', retry: 'after-change' },
} as const satisfies Catalogue;

export type KubernetesErrorCode = keyof typeof KUBERNETES_ERRORS;

export class KubernetesError extends FleetError<KubernetesErrorCode> {
  get entry() {
    return KUBERNETES_ERRORS[this.code];
  }
}
