import type { TypeState } from '../../domain/index-message.ts';
import type { ObjectKey } from '../../domain/indexed-object.ts';
import type { ObservedObject } from '../../domain/observed-object.ts';

export type SourceEvent =
  /** A complete list follows. */
  | { readonly kind: 'listing' }
  | { readonly kind: 'object'; readonly object: ObservedObject }
  | { readonly kind: 'gone'; readonly key: ObjectKey }
  /** The list is complete: objects that were not in it do not exist. Never sent after a list that broke off. */
  | { readonly kind: 'listed' }
  | { readonly kind: 'state'; readonly state: TypeState; readonly message: string };

/** Observes the objects on a target. */
export interface ObjectSource {
  /**
   * All objects of a type, then their changes, until aborted. A failure is reported as a state and retried. The source applies
   * backpressure: it waits while its consumer is busy.
   */
  follow(type: string, signal: AbortSignal): AsyncIterable<SourceEvent>;
}
