/**
 * The result of a reconcile that did not throw. One that throws is retried with growing delays, except for a
 * `ReconcileError` `TERMINAL`: then the key is not retried until it is added again.
 */
export type Result =
  | { readonly kind: 'done' }
  | { readonly kind: 'requeue-after'; readonly ms: number }
  | { readonly kind: 'back-off' };

/** The object is in the desired state, as far as can be seen now. */
export const DONE: Result = { kind: 'done' };

/** Retry with growing delays, as after a failure: an expected obstacle was in the way. */
export const BACK_OFF: Result = { kind: 'back-off' };

/** Reconcile again after this delay, or earlier if an event adds the key. */
export function requeueAfter(ms: number): Result {
  return { kind: 'requeue-after', ms };
}
