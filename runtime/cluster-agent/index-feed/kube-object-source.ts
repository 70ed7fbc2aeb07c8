import type { ObjectSource, SourceEvent } from '#contexts/resource-index';
import {
  type CollectionRef,
  isKubeError,
  type KubeClient,
  type KubeList,
  type ListOptions,
  type Resource,
} from '#kit/kube';
import { backoffDelay, Notifier, type Random, Semaphore, type Sleep } from '#kit/std';
import { isServedNowhere } from './is-served-nowhere.ts';
import { keyOf, observedKubeObject } from './observed-kube-object.ts';

export interface KubeObjectSourceDeps {
  readonly client: KubeClient;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly pace?: Partial<SourcePace>;
}

export interface SourcePace {
  readonly againBaseMs: number;
  readonly againCapMs: number;
  /** How often to check whether a kind that was forbidden or not served can be read now. */
  readonly refusedMs: number;
  /** The server ends watches after about this long. */
  readonly watchSeconds: number;
  /** Page size of list requests. */
  readonly chunk: number;
}

const PACE: SourcePace = {
  againBaseMs: 500,
  againCapMs: 30_000,
  refusedMs: 60_000,
  watchSeconds: 300,
  chunk: 500,
};
const LISTS_AT_ONCE = 2;
const DEFINITIONS = 'apiextensions.k8s.io/v1/CustomResourceDefinition';
const LISTING: SourceEvent = { kind: 'listing' };
const LISTED: SourceEvent = { kind: 'listed' };
const FOLLOWED: SourceEvent = { kind: 'state', state: 'Followed', message: '' };

/** Position of a watch. */
interface Place {
  resourceVersion: string | undefined;
  failures: number;
}

/**
 * The objects of a cluster: listed in pages, then watched. Each object is trimmed on arrival, and none is stored here.
 */
export class KubeObjectSource implements ObjectSource {
  readonly #deps: KubeObjectSourceDeps;
  readonly #pace: SourcePace;
  /** Lists are large: a few at a time, and those of Pods and nodes come first. */
  readonly #lists = new Semaphore(LISTS_AT_ONCE);
  /** Followers that wait for their kind to be served. */
  readonly #waiting = new Set<Notifier>();

  constructor(deps: KubeObjectSourceDeps) {
    this.#deps = deps;
    this.#pace = { ...PACE, ...deps.pace };
  }

  async *follow(type: string, signal: AbortSignal): AsyncGenerator<SourceEvent, void, void> {
    const place: Place = { resourceVersion: undefined, failures: 0 };
    while (!signal.aborted) {
      try {
        yield* this.#goOn(type, place, signal);
      } catch (error) {
        if (signal.aborted) return;
        yield* this.#recover(type, { error, place }, signal);
      }
    }
  }

  async *#goOn(type: string, place: Place, signal: AbortSignal): AsyncGenerator<SourceEvent, void, void> {
    const { apiVersion, kind } = partsOf(type);
    const resource = await this.#deps.client.discovery.resourceFor(apiVersion, kind, signal);
    if (place.resourceVersion === undefined) yield* this.#list(type, { resource, place }, signal);
    yield* this.#watch(type, { resource, place }, signal);
  }

  async *#list(
    type: string,
    { resource, place }: { readonly resource: Resource; readonly place: Place },
    signal: AbortSignal,
  ): AsyncGenerator<SourceEvent, void, void> {
    const done = await this.#lists.acquire(signal);
    try {
      let page = await this.#page({ resource }, { limit: this.#pace.chunk }, signal);
      const { resourceVersion } = page.metadata;
      yield LISTING;
      for (;;) {
        for (const object of page.items) yield { kind: 'object', object: observedKubeObject(type, object) };
        if (!page.metadata.continue) break;
        page = await this.#page({ resource }, { limit: this.#pace.chunk, continue: page.metadata.continue }, signal);
      }
      yield LISTED;
      place.resourceVersion = resourceVersion;
      place.failures = 0;
    } finally {
      done();
    }
  }

  async #page(ref: CollectionRef, options: ListOptions, signal: AbortSignal): Promise<KubeList> {
    return await this.#deps.client.list(ref, options, signal);
  }

  async *#watch(
    type: string,
    { resource, place }: { readonly resource: Resource; readonly place: Place },
    signal: AbortSignal,
  ): AsyncGenerator<SourceEvent, void, void> {
    const { client, random } = this.#deps;
    // Randomised, so that not all watches restart at once.
    const timeoutSeconds = Math.ceil(this.#pace.watchSeconds * (1 + random()));
    const resourceVersion = place.resourceVersion ?? '';
    let isQuiet = place.failures > 0;
    for await (const event of client.watch({ resource }, { resourceVersion, timeoutSeconds }, signal)) {
      if (isQuiet) yield FOLLOWED;
      isQuiet = false;
      place.failures = 0;
      if (event.type === 'BOOKMARK') {
        place.resourceVersion = event.resourceVersion;
        continue;
      }
      const { object } = event;
      if (event.type === 'DELETED') yield { kind: 'gone', key: keyOf(type, object) };
      else yield { kind: 'object', object: observedKubeObject(type, object) };
      // Only after the event was consumed: otherwise it has to be delivered again.
      place.resourceVersion = object.metadata.resourceVersion ?? place.resourceVersion;
      if (type === DEFINITIONS) this.#definitionsChanged();
    }
  }

  async *#recover(
    type: string,
    { error, place }: { readonly error: unknown; readonly place: Place },
    signal: AbortSignal,
  ): AsyncGenerator<SourceEvent, void, void> {
    const { client } = this.#deps;
    if (isKubeError(error, 'EXPIRED') && place.resourceVersion !== undefined) {
      place.resourceVersion = undefined;
      return;
    }
    // The kind is gone, and the discovery cache is stale.
    if (isKubeError(error, 'NOT_FOUND')) client.discovery.forget();
    if (isKubeError(error, 'KIND_NOT_SERVED')) {
      place.resourceVersion = undefined;
      if (await isServedNowhere(client, partsOf(type), signal)) yield* [LISTING, LISTED];
      yield { kind: 'state', state: 'NotServed', message: 'the cluster does not know this kind' };
      return await this.#wait(signal);
    }
    if (isKubeError(error, 'FORBIDDEN', 'UNAUTHORIZED', 'METHOD_NOT_ALLOWED')) {
      yield { kind: 'state', state: 'Forbidden', message: messageOf(error) };
      return await this.#wait(signal);
    }
    place.failures += 1;
    const { againBaseMs: baseMs, againCapMs: capMs } = this.#pace;
    // A watch that was cut is resumed; only repeated failures are reported.
    if (place.failures > 1) yield { kind: 'state', state: 'Troubled', message: messageOf(error) };
    await this.#deps.sleep(backoffDelay({ baseMs, capMs }, place.failures, this.#deps.random), signal);
  }

  /** Waits until the next check is due, or until definitions change. */
  async #wait(signal: AbortSignal): Promise<void> {
    const wake = new Notifier(this.#deps.sleep);
    this.#waiting.add(wake);
    try {
      await wake.wait(Math.ceil(this.#pace.refusedMs * (1 + this.#deps.random())), signal);
    } finally {
      this.#waiting.delete(wake);
    }
  }

  #definitionsChanged(): void {
    for (const wake of this.#waiting) wake.notify();
  }
}

/** `v1/Pod`, `apps/v1/Deployment` */
function partsOf(type: string): { readonly apiVersion: string; readonly kind: string } {
  const slash = type.lastIndexOf('/');
  return { apiVersion: type.slice(0, slash), kind: type.slice(slash + 1) };
}

/** The same failure always gives the same message. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
