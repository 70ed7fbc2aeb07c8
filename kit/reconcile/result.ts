/**
 * How a reconcile that did not throw ended. What it throws is tried again with growing waits, except a `ReconcileError`
 * `TERMINAL`: that is not, until the key is added again.
 */
export type Result =
  | { readonly kind: 'done' }
  | { readonly kind: 'requeue-after'; readonly ms: number }
  | { readonly kind: 'back-off' };

/** All is as it should be, as far as can be seen now. */
export const DONE: Result = { kind: 'done' };

/** Look again as if it had failed, with waits that grow: something expected was in the way. */
export const BACK_OFF: Result = { kind: 'back-off' };

/** Look again after so long, or earlier if something happens. */
export function requeueAfter(ms: number): Result {
  return { kind: 'requeue-after', ms };
}
