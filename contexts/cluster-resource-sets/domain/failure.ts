import { assertNever } from '#kit/std';
import { type ResourceRef, showRef } from './resource-set.ts';

/** A reason why a set is not applied everywhere. */
export type Failure =
  | { readonly kind: 'selector-unreadable'; readonly why: string }
  | { readonly kind: 'strategy-unknown'; readonly strategy: string }
  | { readonly kind: 'wrong-secret-type'; readonly resource: ResourceRef }
  | { readonly kind: 'resource-missing'; readonly resource: ResourceRef }
  | { readonly kind: 'resource-unavailable'; readonly resource: ResourceRef; readonly why: string }
  | { readonly kind: 'resource-unreadable'; readonly resource: ResourceRef; readonly why: string }
  | { readonly kind: 'cluster-unreachable'; readonly cluster: string; readonly why: string }
  /** An internal error, such as a failed write to the management cluster. */
  | { readonly kind: 'broken-off'; readonly cluster: string; readonly why: string }
  | { readonly kind: 'not-applied'; readonly cluster: string; readonly resource: ResourceRef; readonly why: string }
  | { readonly kind: 'not-pruned'; readonly cluster: string; readonly why: string };

export type FailureKind = Failure['kind'];

/** For users. The same failure always gives the same text. */
export function showFailure(failure: Failure): string {
  switch (failure.kind) {
    case 'selector-unreadable':
      return failure.why;
    case 'strategy-unknown':
      return `unsupported or empty resource strategy: ${JSON.stringify(failure.strategy)}`;
    case 'wrong-secret-type':
      return `Secret type of resource ${failure.resource.name} is not supported`;
    case 'resource-missing':
      return `${showRef(failure.resource)} is missing`;
    case 'resource-unavailable':
      return `${showRef(failure.resource)} cannot be used: ${failure.why}`;
    case 'resource-unreadable':
      return `${showRef(failure.resource)}: ${failure.why}`;
    case 'cluster-unreachable':
      return `Cluster ${failure.cluster} cannot be reached: ${failure.why}`;
    case 'broken-off':
      return `Cluster ${failure.cluster}: ${failure.why}`;
    case 'not-applied':
      return `Failed to apply ClusterResourceSet resources to Cluster ${failure.cluster}: ${showRef(failure.resource)}: ${failure.why}`;
    case 'not-pruned':
      return `Cluster ${failure.cluster} keeps what left the manifest: ${failure.why}`;
    default:
      return assertNever(failure, 'failure');
  }
}
