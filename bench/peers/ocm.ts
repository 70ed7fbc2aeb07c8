import { CORE, createKubeClient, type KubeClient, type KubeObject, parseKubeConfig, type Resource } from '#kit/kube';
import { sleep } from '#kit/std';
import { ownCluster } from '#testing/clusters';
import { installDefinitions } from '../../testing/capi/install-definitions.ts';
import { type BenchCluster, NAMESPACE, valued } from '../kubernetes/bench-clusters.ts';
import { PATIENCE_MS } from '../kubernetes/status-watch.ts';
import { ocmDefinitions } from './ocm-definitions.ts';
import { type OcmProcesses, startOcm } from './ocm-processes.ts';

const SETS = kind('work.open-cluster-management.io', 'v1alpha1', 'ManifestWorkReplicaSet');
const WORKS = kind('work.open-cluster-management.io', 'v1', 'ManifestWork');
const PLACEMENTS = kind('cluster.open-cluster-management.io', 'v1beta1', 'Placement');
const DECISIONS = kind('cluster.open-cluster-management.io', 'v1beta1', 'PlacementDecision');
const APPLIED = { fieldManager: 'bench', force: true } as const;
const SET = 'peers';

/** A ManifestWork, as far as it is read here. */
interface Work extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly generation?: number };
  readonly spec?: { readonly workload?: { readonly manifests?: readonly { readonly data?: { value?: string } }[] } };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly observedGeneration?: number;
}

export interface OpenOcm {
  readonly program: string;
  readonly clusters: readonly BenchCluster[];
  readonly cleanups: (() => Promise<void> | void)[];
}

/**
 * Open Cluster Management on the servers of the bench: a hub on an API server of its own, its work manager, and a work
 * agent for each cluster.
 *
 * A placement is decided by hand, so that its controller has no part in a change.
 */
export class Ocm {
  readonly #hub: KubeClient;
  readonly #processes: OcmProcesses;
  readonly #clusters: readonly BenchCluster[];
  /** The latest state of the ManifestWork of each cluster. */
  readonly #works = new Map<string, Work>();
  readonly #waiting = new Set<() => void>();

  private constructor(hub: KubeClient, processes: OcmProcesses, clusters: readonly BenchCluster[]) {
    this.#hub = hub;
    this.#processes = processes;
    this.#clusters = clusters;
  }

  static async open({ program, clusters, cleanups }: OpenOcm, signal: AbortSignal): Promise<Ocm> {
    const cleaner = { after: (body: () => Promise<void> | void) => void cleanups.push(body) };
    const cluster = await ownCluster(cleaner, { size: 'apiserver', name: 'bench-hub' }, signal);
    const definitions = await ocmDefinitions();
    await installDefinitions(cluster, definitions.hub, signal);
    for (const member of clusters) await installDefinitions(member.cluster, definitions.member, signal);
    const hub = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
    cleanups.push(async () => await hub.close());
    await placeOnAll(hub, clusters, signal);
    const processes = await startOcm({ program, hub: cluster, members: clusters });
    cleanups.push(async () => await processes.stop());
    const ocm = new Ocm(hub, processes, clusters);
    const over = new AbortController();
    const looking = ocm.#look(over.signal);
    cleanups.push(async () => {
      over.abort();
      await looking;
    });
    return ocm;
  }

  get pids(): readonly number[] {
    return this.#processes.pids;
  }

  /** Changes the set that brings these objects to every cluster, and resolves when the hub has accepted it. */
  async change(names: readonly string[], value: string, signal: AbortSignal): Promise<void> {
    this.#processes.check();
    const manifests = names.map((name) => valued(name, value));
    const spec = {
      placementRefs: [{ name: SET, rolloutStrategy: { type: 'All' } }],
      manifestWorkTemplate: { workload: { manifests } },
    };
    await apply(this.#hub, SETS, { metadata: { name: SET, namespace: NAMESPACE }, spec }, signal);
  }

  /** The time when the hub had seen the value applied on every cluster. */
  async knows(value: string): Promise<number> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, PATIENCE_MS);
    while (!isLate && !this.#clusters.every(({ name }) => isApplied(this.#works.get(name), value))) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
    clearTimeout(timer);
    this.#processes.check();
    if (isLate) throw new Error(`wait for ${value} on the hub: not all ManifestWorks are applied`);
    return performance.now();
  }

  async #look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const { items, metadata } = await this.#hub.list<Work>({ resource: WORKS }, {}, signal);
        for (const work of items) this.#take(work);
        const resourceVersion = metadata.resourceVersion ?? '0';
        for await (const event of this.#hub.watch<Work>({ resource: WORKS }, { resourceVersion }, signal)) {
          if (event.type !== 'BOOKMARK') this.#take(event.object);
        }
      } catch {
        await sleep(200, signal).catch(() => {});
      }
    }
  }

  #take(work: Work): void {
    this.#works.set(work.metadata.namespace ?? '', work);
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

/** Applied in this generation, not in an earlier one. */
function isApplied(work: Work | undefined, value: string): boolean {
  const manifests = work?.spec?.workload?.manifests ?? [];
  const applied = work?.status?.conditions?.find(({ type }) => type === 'Applied');
  const isCurrent = applied?.status === 'True' && applied.observedGeneration === work?.metadata.generation;
  return isCurrent && manifests.length > 0 && manifests.every(({ data }) => data?.value === value);
}

async function placeOnAll(hub: KubeClient, clusters: readonly BenchCluster[], signal: AbortSignal): Promise<void> {
  for (const name of [NAMESPACE, ...clusters.map((cluster) => cluster.name)]) {
    await apply(hub, CORE.namespaces, { metadata: { name } }, signal);
  }
  await apply(hub, PLACEMENTS, { metadata: { name: SET, namespace: NAMESPACE }, spec: {} }, signal);
  const labels = {
    'cluster.open-cluster-management.io/placement': SET,
    'cluster.open-cluster-management.io/decision-group-index': '0',
    'cluster.open-cluster-management.io/decision-group-name': '',
  };
  const decision = { metadata: { name: SET, namespace: NAMESPACE, labels } };
  await apply(hub, DECISIONS, decision, signal);
  const decisions = clusters.map(({ name }) => ({ clusterName: name, reason: '' }));
  const patch = { type: 'merge', patch: { status: { decisions } } } as const;
  const ref = { resource: DECISIONS, namespace: NAMESPACE, name: SET };
  await hub.patch(ref, patch, { subresource: 'status' }, signal);
}

interface Applied {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: object };
  readonly spec?: object;
}

async function apply(hub: KubeClient, resource: Resource, object: Applied, signal: AbortSignal): Promise<void> {
  const { group, version, kind: name } = resource;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const { labels: _, ...at } = object.metadata;
  await hub.apply({ resource, ...at }, { apiVersion, kind: name, ...object }, APPLIED, signal);
}

function kind(group: string, version: string, name: string): Resource {
  return { group, version, plural: `${name.toLowerCase()}s`, kind: name, namespaced: true };
}
