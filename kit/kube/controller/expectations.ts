import { monotonicClock } from '#kit/reconcile';
import type { Clock } from '#kit/std';
import type { Change, ObjectKey } from '../cache/object-store.ts';
import type { KubeObject } from '../client/kube-object.ts';
import { isKubeError, type KubeErrorCode } from '../kube-error.ts';
import { formatKey } from './object-key.ts';

export interface ExpectationsOptions {
  /** A monotonic clock. */
  readonly clock?: Clock;
  /**
   * A write that the cache has not shown for this long is no longer waited for; 5 minutes by default, as in Kubernetes
   * itself.
   */
  readonly timeoutMs?: number;
}

/** Sent and not answered yet (`sent`), answered and not in the cache yet (`made`), or never answered (`lost`). */
type Creation = { readonly until: number } & (
  | { readonly kind: 'sent' | 'lost' }
  | { readonly kind: 'made'; readonly uid: string }
);

interface Pending {
  readonly creations: Set<Creation>;
  /** By uid: until when to wait. */
  readonly deletions: Map<string, number>;
  /** New objects that the cache showed while a response was pending: the watch may be faster than the response. */
  readonly shown: Set<string>;
}

/**
 * Writes for a key that are not in the cache yet. While there are any, the key is not reconciled: based on the stale
 * cache it would repeat them, which creates a duplicate if the server chooses the name.
 *
 * If the response was lost, the write counts as done, until the cache shows it or the timeout is over. It is better to
 * derive the name from the key: then a second create is `ALREADY_EXISTS` in any case.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #pending = new Map<string, Pending>();

  constructor({ clock = monotonicClock, timeoutMs = 300_000 }: ExpectationsOptions = {}) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Creates by calling `send`, and remembers it for the key. The controller must own or watch the created objects. */
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
      // With a fixed name the object cannot be created twice, so a lost response does no harm.
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
      // If the object is already gone, the cache still has to show that.
      if (wasRefused(error) && !isKubeError(error, 'NOT_FOUND')) pending.deletions.delete(uid);
      throw error;
    } finally {
      this.#settle(key, pending);
    }
  }

  /** Called when the cache shows a change of an object that belongs to the key. */
  observe(key: ObjectKey, { old, now }: Change): void {
    const pending = this.#pending.get(formatKey(key));
    if (!pending) return;
    if (now === undefined || now.metadata.deletionTimestamp !== undefined) {
      pending.deletions.delete(now?.metadata.uid ?? old?.metadata.uid ?? '');
    }
    if (old === undefined && now !== undefined) pending.shown.add(now.metadata.uid ?? '');
    this.#settle(key, pending);
  }

  /** The maximum time that the key has to wait; 0 if the cache has shown everything. */
  waitMs(key: ObjectKey): number {
    const pending = this.#pending.get(formatKey(key));
    if (!pending) return 0;
    const moments = [...pending.creations].map(({ until }) => until).concat([...pending.deletions.values()]);
    const left = Math.max(0, ...moments) - this.#clock.now();
    if (left > 0) return left;
    this.#pending.delete(formatKey(key));
    return 0;
  }

  /** The object of the key is gone. */
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

  /** Removes what the cache has shown. While responses are pending, it is unknown which create an object belongs to. */
  #settle(key: ObjectKey, { creations, deletions, shown }: Pending): void {
    for (const creation of creations) {
      if (creation.kind === 'made' && shown.delete(creation.uid)) creations.delete(creation);
    }
    if ([...creations].some(({ kind }) => kind === 'sent')) return;
    // An object of unknown origin is taken for one whose response was lost.
    const lost = [...creations].filter(({ kind }) => kind === 'lost');
    for (const creation of lost.slice(0, shown.size)) creations.delete(creation);
    shown.clear();
    if (creations.size === 0 && deletions.size === 0) this.forget(key);
  }
}

/** Refusals by the server: nothing was written. After any other error the write may have happened. */
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
