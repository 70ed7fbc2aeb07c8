import type { InformerFactory, SharedInformerOptions } from '../cache/informer-factory.ts';
import type { Change, Lister, ObjectKey } from '../cache/object-store.ts';
import type { KubeObject, Resource } from '../client/kube-object.ts';
import { ObjectController, type ObjectControllerOptions, type ReconcileKey, type WakeObject } from './controller.ts';
import { ControllerError } from './controller-error.ts';
import { formatKey } from './object-key.ts';
import type { Predicate } from './predicates.ts';
import {
  itsController,
  itself,
  type Mapper,
  observing,
  otherSource,
  type WatchSource,
  watchSource,
} from './watch-source.ts';

export interface ControllerDeps extends Omit<ObjectControllerOptions, 'sources' | 'keys' | 'reconcile'> {
  readonly informers: Pick<InformerFactory, 'informer'>;
  /** Watches only this namespace. */
  readonly namespace?: string;
}

export interface WatchedOptions<T extends KubeObject> extends SharedInformerOptions<T> {
  readonly predicates?: readonly Predicate<T>[];
  /** How long the keys of a change wait, so that changes that come together are one reconcile; 0 by default. */
  readonly afterMs?: (change: Change<T>) => number;
}

/**
 * Declares the objects that a controller reconciles, and the objects that it watches:
 *
 *     new ControllerBuilder({ name: 'sites', informers, expectations })
 *       .for(SITES, { predicates: [generationChanged] })
 *       .owns(CORE.deployments)
 *       .watches(CORE.secrets, sitesThatUse)
 *       .reconcile(async (key, signal) => { ... })
 *
 * The informers belong to the factory, which must run in a lower group.
 */
export class ControllerBuilder {
  readonly #deps: ControllerDeps;
  readonly #sources: WatchSource[] = [];
  #primary: { readonly resource: Resource; readonly cache: Lister } | undefined;

  constructor(deps: ControllerDeps) {
    this.#deps = deps;
  }

  /** The objects that the controller reconciles: keys are theirs. Must be called first. */
  for<T extends KubeObject>(resource: Resource, options: WatchedOptions<T> = {}): this {
    const { expectations } = this.#deps;
    const informer = this.#informer<T>(resource, options);
    this.#primary = { resource, cache: informer.cache };
    const { predicates = [], afterMs } = options;
    const seen = ({ now }: Change<T>, key: ObjectKey): void => {
      if (now === undefined) expectations?.forget(key);
    };
    this.#sources.push(
      watchSource<T>({
        informer,
        mapper: itself,
        predicates,
        ...(afterMs && { afterMs }),
        ...(expectations && { seen }),
      }),
    );
    return this;
  }

  /** Objects that the controller creates: those whose controller reference names a reconciled object. */
  owns<T extends KubeObject>(resource: Resource, options: WatchedOptions<T> = {}): this {
    return this.watches<T>(resource, itsController(this.#looksAfter().resource), options);
  }

  /** Other objects that the controller reads: the mapper returns the reconciled objects that a change concerns. */
  watches<T extends KubeObject>(resource: Resource, mapper: Mapper<T>, options: WatchedOptions<T> = {}): this {
    const { expectations } = this.#deps;
    const informer = this.#informer<T>(resource, options);
    const { predicates = [], afterMs } = options;
    const seen = expectations && { seen: observing(expectations) };
    this.#sources.push(watchSource<T>({ informer, mapper, predicates, ...(afterMs && { afterMs }), ...seen }));
    return this;
  }

  /**
   * Keys that something other than this cluster's objects wakes: `feed` is called once the caches have synced, and returns
   * a function that stops it. Another controller calls `wake` of the built one instead.
   */
  wokenBy(feed: (wake: WakeObject) => () => void): this {
    this.#sources.push(otherSource((wake) => feed((key, options) => wake(formatKey(key), options))));
    return this;
  }

  reconcile(reconcile: ReconcileKey): ObjectController {
    const { cache } = this.#looksAfter();
    const { informers: _, namespace: __, ...options } = this.#deps;
    return new ObjectController({ ...options, sources: this.#sources, keys: () => cache.list(), reconcile });
  }

  #informer<T extends KubeObject>(resource: Resource, watched: WatchedOptions<T>) {
    const { predicates: _, afterMs: __, ...options } = watched;
    const { informers, namespace } = this.#deps;
    const scope = namespace === undefined || !resource.namespaced ? {} : { namespace };
    return informers.informer<T>({ resource, ...scope }, options);
  }

  #looksAfter() {
    if (this.#primary) return this.#primary;
    throw new ControllerError('NOTHING_TO_RECONCILE', `build ${this.#deps.name}: call for() first`);
  }
}
