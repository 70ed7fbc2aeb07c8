import type { Runnable } from '#kit/reconcile';
import { aborted } from '#kit/std';
import type { CollectionRef } from '../client/kube-client.ts';
import type { KubeObject } from '../client/kube-object.ts';
import {
  type Informer,
  type InformerDeps,
  type InformerOptions,
  ListWatchInformer,
  type Selectors,
} from './informer.ts';
import { dropManagedFields } from './trim.ts';

export interface SharedInformerOptions<T extends KubeObject> extends Partial<Omit<InformerOptions<T>, 'collection'>> {}

interface Shared {
  readonly trim: unknown;
  readonly informer: ListWatchInformer<KubeObject>;
}

/**
 * One informer per collection, shared by all users: the same kind, namespace, selectors and `trim` are one list, one
 * watch and one copy. The factory is a runnable that runs all informers, including those requested later.
 */
export class InformerFactory implements Runnable {
  readonly name = 'informers';
  readonly #deps: InformerDeps;
  readonly #shared = new Map<string, Shared[]>();
  readonly #running: Promise<void>[] = [];
  #signal: AbortSignal | undefined;

  constructor(deps: InformerDeps) {
    this.#deps = deps;
  }

  /** The first request decides on page size and time limits. */
  informer<T extends KubeObject>(collection: CollectionRef, options: SharedInformerOptions<T> = {}): Informer<T> {
    const { trim = dropManagedFields } = options;
    const key = keyOf(collection, options);
    const same = this.#shared.get(key) ?? [];
    const known = same.find((it) => it.trim === trim);
    // The key and the trim are the same, so the object type is the same too.
    if (known) return known.informer as unknown as Informer<T>;
    const informer = new ListWatchInformer<T>(this.#deps, { ...options, collection, trim });
    this.#shared.set(key, [...same, { trim, informer: informer as unknown as ListWatchInformer<KubeObject> }]);
    this.#start(informer);
    return informer;
  }

  /** Resolves when all informers requested so far have their first list. */
  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all().map((informer) => informer.synced(signal)));
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const informer of this.#all()) this.#start(informer);
    await aborted(signal);
    await Promise.all(this.#running);
  }

  #all(): ListWatchInformer<KubeObject>[] {
    return [...this.#shared.values()].flat().map(({ informer }) => informer);
  }

  #start(informer: { run(signal: AbortSignal): Promise<void> }): void {
    if (!this.#signal) return;
    // An informer ends only with its signal, and throws only the signal's reason.
    this.#running.push(informer.run(this.#signal).catch(() => undefined));
  }
}

function keyOf({ resource, namespace }: CollectionRef, { labelSelector, fieldSelector }: Selectors): string {
  const { group, version, plural } = resource;
  return JSON.stringify([group, version, plural, namespace, labelSelector, fieldSelector]);
}
