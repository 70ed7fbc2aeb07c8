import type { FieldFault } from '#kit/std';
import type { KubeObject } from '../client/kube-object.ts';
import type { PatchOperation } from './json-patch.ts';

export interface VerdictExtras {
  /** Shown to the user: accepted today, but better changed. Up to 120 characters each, without line breaks. */
  readonly warnings?: readonly string[];
  /** Added to the audit log of the API server. Keys have no prefix: the server adds the name of the webhook. */
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

export interface Allowed extends VerdictExtras {
  readonly kind: 'allow';
}

export interface Denied extends VerdictExtras {
  readonly kind: 'deny';
  /** Shown to the user, after `admission webhook "..." denied the request:`. */
  readonly message: string;
  readonly code: number;
  readonly reason: string;
  readonly faults: readonly FieldFault[];
}

export interface Changed<T extends KubeObject> extends VerdictExtras {
  readonly kind: 'change';
  /** The wanted object; the patch is computed from it. */
  readonly object: T;
}

export interface Patched extends VerdictExtras {
  readonly kind: 'patch';
  readonly patch: readonly PatchOperation[];
}

export type Verdict = Allowed | Denied;
export type MutatingVerdict<T extends KubeObject> = Allowed | Denied | Changed<T> | Patched;

export interface DenyOptions extends VerdictExtras {
  /** An HTTP status; by default 403, or 422 if there are faults. */
  readonly code?: number;
  /** The Kubernetes reason; by default `Forbidden`, or `Invalid` if there are faults. */
  readonly reason?: string;
  /** Faults by field. */
  readonly faults?: readonly FieldFault[];
}

export function allow(extras: VerdictExtras = {}): Allowed {
  return { kind: 'allow', ...extras };
}

export function deny(message: string, options: DenyOptions = {}): Denied {
  const { faults = [], ...rest } = options;
  const isInvalid = faults.length > 0;
  return {
    kind: 'deny',
    message,
    code: isInvalid ? 422 : 403,
    reason: isInvalid ? 'Invalid' : 'Forbidden',
    faults,
    ...rest,
  };
}

export function change<T extends KubeObject>(object: T, extras: VerdictExtras = {}): Changed<T> {
  return { kind: 'change', object, ...extras };
}

export function patch(operations: readonly PatchOperation[], extras: VerdictExtras = {}): Patched {
  return { kind: 'patch', patch: operations, ...extras };
}
