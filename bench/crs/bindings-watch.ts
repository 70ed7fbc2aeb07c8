import type { KubeClient } from '#kit/kube';
import { InformerFactory } from '#kit/kube/cache';
import { type Binding, CRS } from '../../e2e/crs/crs-objects.ts';
import type { Fleet } from './fleet.ts';

/** Follows the bindings of a fleet, and reports when they reach a state. */
export class BindingsWatch {
  readonly #fleet: Fleet;
  readonly #stop = new AbortController();
  readonly #informers: InformerFactory;
  readonly #bindings;
  #running: Promise<unknown> = Promise.resolve();

  constructor(client: KubeClient, fleet: Fleet) {
    this.#fleet = fleet;
    this.#informers = new InformerFactory({ client });
    this.#bindings = this.#informers.informer<Binding>({ resource: CRS.bindings, namespace: fleet.namespace });
  }

  async start(signal: AbortSignal): Promise<void> {
    this.#running = this.#informers.run(this.#stop.signal).catch(() => undefined);
    await this.#informers.synced(signal);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** The recorded hashes of these sets in every binding: one text per binding, which changes with the applied content. */
  hashes(sets: readonly string[]): ReadonlySet<string> {
    return new Set(this.#applied(sets));
  }

  /** Waits until every cluster has all of these sets applied, with hashes that differ from those before. */
  async applied(sets: readonly string[], before: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const wanted = sets.length * this.#fleet.size.clusters;
    const isSo = (): boolean => {
      const applied = this.#applied(sets);
      return applied.length === wanted && applied.every((it) => !before.has(it));
    };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = (): void => reject(new Error(`wait until ${wanted} are recorded: ${this.#applied(sets).length} are`));
    signal.addEventListener('abort', abort, { once: true });
    const forget = this.#bindings.onChange(() => {
      if (isSo()) resolve();
    });
    try {
      await promise;
    } finally {
      forget();
      signal.removeEventListener('abort', abort);
    }
  }

  #applied(sets: readonly string[]): string[] {
    const wanted = new Set(sets);
    return this.#bindings.cache
      .list(this.#fleet.namespace)
      .flatMap(({ spec }) =>
        (spec.bindings ?? [])
          .filter(({ clusterResourceSetName }) => wanted.has(clusterResourceSetName))
          .flatMap(({ resources = [] }) => resources.filter(({ applied }) => applied).map(({ hash }) => hash ?? '')),
      );
  }
}
