import type { TypeState } from '../../domain/index-message.ts';
import type { ObjectKey } from '../../domain/indexed-object.ts';
import type { ObservedObject } from '../../domain/observed-object.ts';

export type SourceEvent =
  /** Everything that there is follows. */
  | { readonly kind: 'listing' }
  | { readonly kind: 'object'; readonly object: ObservedObject }
  | { readonly kind: 'gone'; readonly key: ObjectKey }
  /** Everything was said: what was not is not there. Never after a list that broke off. */
  | { readonly kind: 'listed' }
  | { readonly kind: 'state'; readonly state: TypeState; readonly message: string };

/** What there is on a target. */
export interface ObjectSource {
  /**
   * All objects of a type, and then what happens to them, until aborted. Whatever goes wrong is said as a state and tried
   * again. It waits while nobody takes what it has to say.
   */
  follow(type: string, signal: AbortSignal): AsyncIterable<SourceEvent>;
}
