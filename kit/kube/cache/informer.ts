import { monotonicClock } from '#kit/reconcile';
import { backoffDelay, type Clock, type Random, sleep as realSleep, type Sleep, unlessAborted } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { CollectionRef, KubeClient, ListOptions, WatchEvent } from '../client/kube-client.ts';
import type { KubeObject } from '../client/kube-object.ts';
import { listAll } from '../client/list-all.ts';
import { isKubeError } from '../kube-error.ts';
import { CacheError } from './cache-error.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { Change, Lister } from './object-store.ts';
import { ObjectStore } from './object-store.ts';
import type { Trim } from './trim.ts';

/**
 * Told of each change, in the order of the server, after the cache has it. It returns at once: it notes a key somewhere.
 * `initial` is what was there when the first list came, or when the handler did.
 */
export type ChangeHandler<T extends KubeObject = KubeObject> = (
  change: Change<T> & { readonly initial: boolean },
) => void;

export interface InformerDeps {
  readonly client: KubeClient;
  /** Monotonic. */
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly random?: Random;
  readonly log?: Logger;
}

/** Which objects of a collection. */
export type Selectors = Pick<ListOptions, 'labelSelector' | 'fieldSelector'>;

export interface InformerOptions<T extends KubeObject> extends Selectors {
  readonly collection: CollectionRef;
  readonly trim: Trim<T>;
  readonly pageSize?: number;
  /** How long the server may let a watch live, at most; it is resumed then. */
  readonly watchSeconds?: number;
  /** A watch that the server has not ended so long after its time is cut: nobody is there any more. */
  readonly stallGraceMs?: number;
}

/** What others see of an informer: its cache, and its changes. */
export interface Informer<T extends KubeObject = KubeObject> {
  readonly cache: Lister<T>;
  readonly hasSynced: boolean;
  /** Until the first list is in the cache. */
  synced(signal: AbortSignal): Promise<void>;
  /** Begins with what is in the cache already. Returns how to end it. */
  onChange(handler: ChangeHandler<T>): () => void;
}

const RECONNECT = { baseMs: 500, capMs: 30_000 };
/** A watch that ends sooner and without a word counts as a failure, or we would ask without a pause. */
const SHORT_WATCH_MS = 1_000;

/**
 * Keeps a copy of a collection: a list, then a watch from where the list was, resumed whenever it ends. When the server has
 * forgotten that place (410), a fresh list replaces the copy, and what vanished meanwhile is told as deleted.
 *
 * DECISION: lists are consistent reads, in pages, and never `resourceVersion=0`: an old answer of another API server would
 * take the cache back in time. From Kubernetes 1.31 on they are served from the server's cache all the same. (ADR-0021)
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
  /** Where the next watch begins; `undefined` asks for a list. */
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
    // Wrapped, so that the same function can be there twice and each is ended for itself.
    const own: ChangeHandler<T> = (change) => handler(change);
    this.#handlers.add(own);
    return () => this.#handlers.delete(own);
  }

  /** Until the signal aborts; it throws nothing but its reason. */
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
        this.#log?.warn({ err: error, attempt: this.#failures }, 'watch interrupted; the cache is as it was, resuming');
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
    // Spread, so that informers that began together do not come back together for ever.
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
      // One handler that is wrong must not stop the cache for the others.
      this.#log?.error({ err: error }, 'a handler of changes threw; it has missed one, the others have not');
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
