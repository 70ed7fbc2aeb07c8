import type { Stored } from './object-rules.ts';
import { Refused } from './refused.ts';
import type { Matches } from './selectors.ts';
import { type Change, type FakeStore, keyOf, type Place } from './store.ts';

export interface WatchRequest {
  readonly place: Place;
  readonly matches: Matches;
  /** Empty and 0 begin with the existing objects. */
  readonly version: string;
}

type WireEvent = { readonly type: string; readonly object: object };

/** Emits the events of a watch, from its version on. Returns a function that stops it. */
export function startWatch(
  store: FakeStore,
  { place, matches, version }: WatchRequest,
  say: (event: WireEvent) => void,
): () => void {
  const tell = (change: Change): void => {
    const event = eventOf(change, place, matches);
    if (event) say(event);
  };
  try {
    if (version === '' || version === '0') {
      for (const object of store.list(place)) if (matches(object)) say({ type: 'ADDED', object });
    } else {
      for (const change of store.since(Number(version))) tell(change);
    }
  } catch (error) {
    // The watch has already begun when its version is checked, so the error is an event.
    if (!(error instanceof Refused)) throw error;
    say({ type: 'ERROR', object: error.toStatus() });
    return () => {};
  }
  return store.subscribe(tell);
}

export function bookmark({ resource }: Place, version: number): WireEvent {
  const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
  const metadata = { resourceVersion: String(version), creationTimestamp: null };
  return { type: 'BOOKMARK', object: { kind: resource.kind, apiVersion, metadata } };
}

/** An object that begins to match is new to this watcher, and one that ceases to match is gone. */
function eventOf({ place, before, after, version }: Change, watched: Place, matches: Matches): WireEvent | undefined {
  if (keyOf(place.resource) !== keyOf(watched.resource)) return undefined;
  const namespace = (after ?? before)?.metadata.namespace;
  if (watched.namespace !== undefined && watched.namespace !== namespace) return undefined;
  const was = before !== undefined && matches(before);
  const is = after !== undefined && matches(after);
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object: after };
  return was ? { type: 'DELETED', object: at(before, version) } : undefined;
}

function at(object: Stored, version: number): Stored {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
}
