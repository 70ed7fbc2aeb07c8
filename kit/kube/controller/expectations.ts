import { monotonicClock } from '#kit/reconcile';
import type { Clock } from '#kit/std';
import type { Change, ObjectKey } from '../cache/object-store.ts';
import type { KubeObject } from '../client/kube-object.ts';
import { isKubeError, type KubeErrorCode } from '../kube-error.ts';
import { formatKey } from './object-key.ts';

export interface ExpectationsOptions {
  /** Monotonic. */
  readonly clock?: Clock;
  /** What the cache has not shown for so long is no longer waited for; 5 minutes unless told, as in Kubernetes itself. */
  readonly timeoutMs?: number;
}

/** Sent and not answered yet, answered and not in the cache yet, or sent and never answered. */
type Creation = { readonly until: number } & (
  | { readonly kind: 'sent' | 'lost' }
  | { readonly kind: 'made'; readonly uid: string }
);

interface Pending {
  readonly creations: Set<Creation>;
  /** By uid, until when. */
  readonly deletions: Map<string, number>;
  /** What the cache showed as new while an answer was out: the watch may be faster than the answer. */
  readonly shown: Set<string>;
}

/**
 * What was written for a key and is not in the cache yet. While there is some, the key is not reconciled: with what the
 * cache shows it would do the same again, and for an object whose name the server makes that is a duplicate.
 *
 * An answer that was lost counts as a write that happened, until the cache shows it or the time is over. Better still is a
 * name that follows from the key: then a second create is `ALREADY_EXISTS`, whatever was lost.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #pending = new Map<string, Pending>();

  constructor({ clock = monotonicClock, timeoutMs = 300_000 }: ExpectationsOptions = {}) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Creates by calling `send`, and remembers it for the key. The controller must own or watch what is created. */
  async create<T extends KubeObject>(key: ObjectKey, object: T, send: (object: T) => Promise<T>): Promise<T> {
    const pending = this.#of(key);
    const sent: Creation = { kind: 'sent', until: this.#clock.now() + this.#timeoutMs };
    pending.creations.add(sent);
    try {
      const created = await send(object);
      const { uid = '' } = created.metadata;
      if (!pending.shown.delete(uid)) pending.creations.add({ ...sent, kind: 'made', uid });
      return created;
    } catch (error) {
      // With a name of its own it cannot be made twice, so nothing is to be feared from a lost answer.
      const mayBeThere = !wasRefused(error) && object.metadata.name === undefined;
      if (mayBeThere) pending.creations.add({ ...sent, kind: 'lost' });
      throw error;
    } finally {
      pending.creations.delete(sent);
      this.#settle(key, pending);
    }
  }

  /** Deletes by calling `send`, and remembers it for the key. */
  async delete<R>(key: ObjectKey, object: KubeObject, send: () => Promise<R>): Promise<R> {
    const pending = this.#of(key);
    const { uid = '' } = object.metadata;
    pending.deletions.set(uid, this.#clock.now() + this.#timeoutMs);
    try {
      return await send();
    } catch (error) {
      // Gone already is what was wanted, and the cache is yet to show it.
      if (wasRefused(error) && !isKubeError(error, 'NOT_FOUND')) pending.deletions.delete(uid);
      throw error;
    } finally {
      this.#settle(key, pending);
    }
  }

  /** The cache shows a change of an object that belongs to the key. */
  observe(key: ObjectKey, { old, now }: Change): void {
    const pending = this.#pending.get(formatKey(key));
    if (!pending) return;
    if (now === undefined || now.metadata.deletionTimestamp !== undefined) {
      pending.deletions.delete(now?.metadata.uid ?? old?.metadata.uid ?? '');
    }
    if (old === undefined && now !== undefined) pending.shown.add(now.metadata.uid ?? '');
    this.#settle(key, pending);
  }

  /** How long the key has to wait at most; 0 when the cache has shown everything. */
  waitMs(key: ObjectKey): number {
    const pending = this.#pending.get(formatKey(key));
    if (!pending) return 0;
    const moments = [...pending.creations].map(({ until }) => until).concat([...pending.deletions.values()]);
    const left = Math.max(0, ...moments) - this.#clock.now();
    if (left > 0) return left;
    this.#pending.delete(formatKey(key));
    return 0;
  }

  /** What the key stood for is gone. */
  forget(key: ObjectKey): void {
    this.#pending.delete(formatKey(key));
  }

  #of(key: ObjectKey): Pending {
    const known = this.#pending.get(formatKey(key));
    if (known) return known;
    const pending: Pending = { creations: new Set(), deletions: new Map(), shown: new Set() };
    this.#pending.set(formatKey(key), pending);
    return pending;
  }

  /** Strikes out what the cache has shown. While answers are out, it is open whose object is whose. */
  #settle(key: ObjectKey, { creations, deletions, shown }: Pending): void {
    for (const creation of creations) {
      if (creation.kind === 'made' && shown.delete(creation.uid)) creations.delete(creation);
    }
    if ([...creations].some(({ kind }) => kind === 'sent')) return;
    // One that nobody is known to have made is taken for one whose answer was lost.
    const lost = [...creations].filter(({ kind }) => kind === 'lost');
    for (const creation of lost.slice(0, shown.size)) creations.delete(creation);
    shown.clear();
    if (creations.size === 0 && deletions.size === 0) this.forget(key);
  }
}

/** The server's own no: nothing was written. Anything else may have been, whatever was heard of it. */
const REFUSALS: readonly KubeErrorCode[] = [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'NOT_ACCEPTABLE',
  'UNSUPPORTED_MEDIA_TYPE',
  'ALREADY_EXISTS',
  'CONFLICT',
  'INVALID',
  'REQUEST_TOO_LARGE',
  'TOO_MANY_REQUESTS',
  'CONNECTION_REFUSED',
  'OVERLOADED',
  'CREDENTIALS_UNAVAILABLE',
];

function wasRefused(error: unknown): boolean {
  return isKubeError(error, ...REFUSALS);
}
