import { monotonicClock } from '#kit/reconcile';
import { backoffDelay, type Clock, type Random, sleep as realSleep, type Sleep, unlessAborted } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { CollectionRef, KubeClient, ListOptions, WatchEvent } from '../client/kube-client.ts';
import type { KubeObject } from '../client/kube-object.ts';
import { listAll } from '../client/list-all.ts';
import { isKubeError } from '../kube-error.ts';
import { CacheError } from './cache-error.ts';
import type { Change, Lister } from './object-store.ts';
import { ObjectStore } from './object-store.ts';
import type { Trim } from './trim.ts';

/**
 * Called for each change, in server order, after the cache has it. It must return at once, for example after queueing a
 * key. `initial` marks objects that existed when the first list came, or when the handler was added.
 */
export type ChangeHandler<T extends KubeObject = KubeObject> = (
  change: Change<T> & { readonly initial: boolean },
) => void;

export interface InformerDeps {
  readonly client: KubeClient;
  /** A monotonic clock. */
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly random?: Random;
  readonly log?: Logger;
}

/** Selects objects of a collection. */
export type Selectors = Pick<ListOptions, 'labelSelector' | 'fieldSelector'>;

export interface InformerOptions<T extends KubeObject> extends Selectors {
  readonly collection: CollectionRef;
  readonly trim: Trim<T>;
  readonly pageSize?: number;
  /** Maximum lifetime of a watch on the server; it is then resumed. */
  readonly watchSeconds?: number;
  /** A watch that the server has not ended this long after its lifetime is cut: the connection is dead. */
  readonly stallGraceMs?: number;
}

/** The public side of an informer: its cache and its changes. */
export interface Informer<T extends KubeObject = KubeObject> {
  readonly cache: Lister<T>;
  readonly hasSynced: boolean;
  /** Resolves when the first list is in the cache. */
  synced(signal: AbortSignal): Promise<void>;
  /** Starts with the objects already in the cache. Returns a function that removes the handler. */
  onChange(handler: ChangeHandler<T>): () => void;
}

const RECONNECT = { baseMs: 500, capMs: 30_000 };
/**
 * A watch that ends sooner, without an event, counts as a failure; otherwise the informer would reconnect without a
 * pause.
 */
const SHORT_WATCH_MS = 1_000;

/**
 * Keeps a copy of a collection: a list, then a watch from the version of the list, resumed whenever it ends. If the
 * server no longer has that version (410), a new list replaces the copy, and objects that vanished meanwhile are
 * reported as deleted.
 *
 * DECISION: lists are consistent reads, in pages, and never `resourceVersion=0`: a stale response of another API server
 * would take the cache back in time. From Kubernetes 1.31 on they are served from the server's cache anyway. (ADR-0021)
 */
export class ListWatchInformer<T extends KubeObject> implements Informer<T> {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #sleep: Sleep;
  readonly #random: Random;
  readonly #log: Logger | undefined;
  readonly #options: InformerOptions<T>;
  readonly #store = new ObjectStore<T>();
  readonly #handlers = new Set<ChangeHandler<T>>();
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  /** The version from which the next watch begins; `undefined` requests a list. */
  #version: string | undefined;
  #failures = 0;

  constructor(deps: InformerDeps, options: InformerOptions<T>) {
    const { client, clock = monotonicClock, sleep = realSleep, random = Math.random, log } = deps;
    this.#client = client;
    this.#clock = clock;
    this.#sleep = sleep;
    this.#random = random;
    this.#log = log?.child({ subject: nameOf(options) });
    this.#options = options;
  }

  get cache(): Lister<T> {
    return this.#store;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  synced(signal: AbortSignal): Promise<void> {
    return unlessAborted(this.#synced.promise, signal);
  }

  onChange(handler: ChangeHandler<T>): () => void {
    for (const now of this.#store.list()) this.#tell(handler, { old: undefined, now, initial: true });
    // Wrapped, so that the same function can be added twice and each is removed separately.
    const own: ChangeHandler<T> = (change) => handler(change);
    this.#handlers.add(own);
    return () => this.#handlers.delete(own);
  }

  /** Runs until the signal aborts; throws only its reason. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      try {
        this.#version ??= await this.#list(signal);
        await this.#watch(this.#version, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (isKubeError(error, 'EXPIRED')) this.#version = undefined;
        this.#failures += 1;
        this.#log?.warn({ err: error, attempt: this.#failures }, 'watch interrupted; cache kept, resuming');
      }
      if (this.#failures > 0) await this.#sleep(backoffDelay(RECONNECT, this.#failures, this.#random), signal);
    }
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { collection, trim, pageSize = 500 } = this.#options;
    const map = (object: T): T => deepFreeze(trim(object));
    const list = await listAll(
      this.#client,
      collection,
      { ...selectorsOf(this.#options), chunk: pageSize, map },
      signal,
    );
    const initial = !this.#hasSynced;
    for (const change of this.#store.replace(list.items)) this.#tellAll({ ...change, initial });
    this.#hasSynced = true;
    this.#synced.resolve();
    return list.metadata.resourceVersion;
  }

  async #watch(version: string, signal: AbortSignal): Promise<void> {
    const { collection, watchSeconds = 300, stallGraceMs = 30_000 } = this.#options;
    // Randomized, so that informers that started together do not keep reconnecting together.
    const timeoutSeconds = Math.ceil(watchSeconds * (0.5 + 0.5 * this.#random()));
    const options = { ...selectorsOf(this.#options), resourceVersion: version, timeoutSeconds };
    const begun = this.#clock.now();
    const stall = this.#stallAfter(timeoutSeconds * 1_000 + stallGraceMs);
    try {
      let heard = false;
      for await (const event of this.#client.watch<T>(collection, options, AbortSignal.any([signal, stall.signal]))) {
        heard = true;
        this.#failures = 0;
        this.#take(event);
      }
      const tooShort = !heard && this.#clock.now() - begun < SHORT_WATCH_MS;
      this.#failures = tooShort ? this.#failures + 1 : 0;
    } finally {
      stall.end();
    }
  }

  #take(event: WatchEvent<T>): void {
    if (event.type === 'BOOKMARK') {
      this.#version = event.resourceVersion;
      return;
    }
    const object = deepFreeze(this.#options.trim(event.object));
    const changes = event.type === 'DELETED' ? this.#store.remove(object) : this.#store.set(object);
    this.#version = object.metadata.resourceVersion ?? this.#version;
    for (const change of changes) this.#tellAll({ ...change, initial: false });
  }

  #stallAfter(ms: number): { readonly signal: AbortSignal; readonly end: () => void } {
    const stalled = new AbortController();
    const ended = new AbortController();
    this.#sleep(ms, ended.signal).then(
      () => stalled.abort(new CacheError('WATCH_STALLED', `watch ${nameOf(this.#options)}: not ended after ${ms} ms`)),
      // The watch ended by itself.
      () => undefined,
    );
    return { signal: stalled.signal, end: () => ended.abort() };
  }

  #tellAll(change: Change<T> & { readonly initial: boolean }): void {
    for (const handler of this.#handlers) this.#tell(handler, change);
  }

  #tell(handler: ChangeHandler<T>, change: Change<T> & { readonly initial: boolean }): void {
    try {
      handler(change);
    } catch (error) {
      // A faulty handler must not stop the cache for the others.
      this.#log?.error({ err: error }, 'change handler failed; it missed one change, other handlers are not affected');
    }
  }
}

function selectorsOf({ labelSelector, fieldSelector }: Selectors): Selectors {
  return {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
}

function nameOf({ collection: { resource, namespace } }: { readonly collection: CollectionRef }): string {
  const plural = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
  return namespace === undefined ? plural : `${plural} in ${namespace}`;
}

/** Freezes a JSON value and everything in it. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}
