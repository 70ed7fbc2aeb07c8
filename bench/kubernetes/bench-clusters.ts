import { roleBindings } from '#contexts/api-proxy';
import { CORE, createKubeClient, type KubeClient, type KubeObject, parseKubeConfig } from '#kit/kube';
import { sleep } from '#kit/std';
import { ownCluster, type TestCluster } from '#testing/clusters';
import type { BenchContext } from '../figure.ts';
import { PATIENCE_MS } from './status-watch.ts';

const AT_ONCE = 4;
const APPLIED = { fieldManager: 'bench', force: true } as const;
export const NAMESPACE = 'bench';

/** A ConfigMap as compared: only its value matters. */
interface Valued extends KubeObject {
  readonly data?: { readonly value?: string };
}

/** A real API server, a client of the bench, and a watch for arriving changes. */
export class BenchCluster {
  readonly name: string;
  readonly cluster: TestCluster;
  readonly client: KubeClient;
  /** When each was last seen with a value. */
  readonly #seen = new Map<string, number>();
  readonly #waiting = new Set<() => void>();

  constructor(cluster: TestCluster, nth: number) {
    this.name = `c-${nth}`;
    this.cluster = cluster;
    this.client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
  }

  async prepare(signal: AbortSignal): Promise<void> {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
    await this.client.apply({ resource: CORE.namespaces, name: NAMESPACE }, namespace, APPLIED, signal);
    for (const binding of roleBindings()) {
      const ref = { resource: CORE.clusterRoleBindings, name: binding.metadata.name };
      await this.client.apply(ref, binding, APPLIED, signal);
    }
  }

  async apply(name: string, value: string, signal: AbortSignal): Promise<void> {
    const ref = { resource: CORE.configMaps, namespace: NAMESPACE, name };
    await this.client.apply(ref, valued(name, value), APPLIED, signal);
  }

  /** The time when the watch showed the last of them with the value; not before `since`. */
  async has(names: readonly string[], value: string, since = 0): Promise<number> {
    const times = (): number[] => names.map((name) => this.#seen.get(`${name}=${value}`) ?? 0);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, PATIENCE_MS);
    while (Math.min(...times()) <= since && !isLate) await new Promise<void>((resolve) => this.#waiting.add(resolve));
    clearTimeout(timer);
    if (isLate) throw new Error(`wait for ${value} on ${this.name}: not all of ${names.length} objects have it`);
    return Math.max(...times());
  }

  /** Watches until aborted. */
  async look(signal: AbortSignal): Promise<void> {
    const ref = { resource: CORE.configMaps, namespace: NAMESPACE };
    while (!signal.aborted) {
      try {
        const { items, metadata } = await this.client.list<Valued>(ref, {}, signal);
        for (const object of items) this.#take(object);
        const resourceVersion = metadata.resourceVersion ?? '0';
        for await (const event of this.client.watch<Valued>(ref, { resourceVersion }, signal)) {
          if (event.type !== 'BOOKMARK') this.#take(event.object);
        }
      } catch {
        await sleep(200, signal).catch(() => {});
      }
    }
  }

  #take({ metadata, data }: Valued): void {
    this.#seen.set(`${metadata.name}=${data?.value}`, performance.now());
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

/** About 1 KiB, the size the peers were measured with. */
export function valued(name: string, value: string): object {
  const filler = 'x'.repeat(900);
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: NAMESPACE }, data: { value, filler } };
}

export async function openClusters(
  count: number,
  { cleanups, context }: { readonly cleanups: (() => Promise<void> | void)[]; readonly context: BenchContext },
): Promise<BenchCluster[]> {
  const cleaner = { after: (body: () => Promise<void> | void) => void cleanups.push(body) };
  const clusters: BenchCluster[] = [];
  const todo = Array.from({ length: count }, (_, nth) => nth).values();
  const lane = async (): Promise<void> => {
    for (const nth of todo) {
      const made = await ownCluster(cleaner, { size: 'apiserver', name: `bench-${nth}` }, context.signal);
      const cluster = new BenchCluster(made, nth);
      cleanups.push(async () => await cluster.client.close());
      await cluster.prepare(context.signal);
      clusters.push(cluster);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const over = new AbortController();
  const looking = clusters.map(async (cluster) => await cluster.look(over.signal));
  cleanups.push(async () => {
    over.abort();
    await Promise.all(looking);
  });
  return clusters;
}
