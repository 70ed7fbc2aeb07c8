import { randomBytes } from 'node:crypto';
import { CORE, createKubeClient, type KubeClient, parseKubeConfig } from '#kit/kube';
import { type Informer, InformerFactory } from '#kit/kube/cache';
import { installCapiDefinitions } from '#testing/capi';
import { type Cleaner, ownCluster, sharedCluster, type TestCluster } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { type Binding, CRS, type DataObject, type ResourceSet } from './crs-objects.ts';
import { type Manager, type ManagerKind, startManager } from './managers.ts';
import type { Scenario } from './scenario.ts';
import type { Objects } from './seen.ts';
import type { Snapshot } from './snapshot.ts';
import { Stage, type StageSide } from './stage.ts';
import type { Workload, WorkloadName } from './workload.ts';

/** One manager with a management cluster of its own, and two workload clusters shared with the other side. */
export class Side implements StageSide {
  readonly kind: ManagerKind;
  readonly client: KubeClient;
  readonly workloads: Readonly<Record<WorkloadName, Workload>>;
  readonly manager: Manager;
  readonly #sets: Informer<ResourceSet>;
  readonly #bindings: Informer<Binding>;
  readonly #configMaps: Informer<DataObject>;
  readonly #secrets: Informer<DataObject>;

  /** Undefined where the manager is not available. */
  static async open(t: Cleaner, kind: ManagerKind, signal: AbortSignal): Promise<Side | undefined> {
    const management = await ownCluster(t, { size: 'apiserver', name: `crs-${kind}` }, signal);
    await installCapiDefinitions(management, {}, signal);
    const manager = await startManager(kind, { kubeconfig: management.kubeconfigFile() });
    if (manager === undefined) return undefined;
    t.after(() => manager.stop());
    const workloads = {
      a: openWorkload(t, await sharedCluster('apiserver', signal)),
      b: openWorkload(t, await sharedCluster('controllers', signal)),
    };
    const client = clientOf(t, management);
    const informers = new InformerFactory({ client });
    const side = new Side({ kind, client, workloads, manager, informers });
    const stop = new AbortController();
    const running = informers.run(stop.signal).catch(() => undefined);
    t.after(async () => {
      stop.abort();
      await running;
    });
    await informers.synced(AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]));
    return side;
  }

  private constructor({
    informers,
    ...rest
  }: Pick<Side, 'kind' | 'client' | 'workloads' | 'manager'> & { readonly informers: InformerFactory }) {
    this.kind = rest.kind;
    this.client = rest.client;
    this.workloads = rest.workloads;
    this.manager = rest.manager;
    this.#sets = informers.informer<ResourceSet>({ resource: CRS.sets });
    this.#bindings = informers.informer<Binding>({ resource: CRS.bindings });
    this.#configMaps = informers.informer<DataObject>({ resource: CORE.configMaps });
    this.#secrets = informers.informer<DataObject>({ resource: CORE.secrets });
  }

  /** Plays the scenario and returns its states, by moment. */
  async play(scenario: Scenario, signal: AbortSignal): Promise<Readonly<Record<string, Snapshot>>> {
    const id = randomBytes(5).toString('hex');
    const stage = new Stage({ side: this, namespace: `m-${id}`, workloadNamespace: `w-${id}`, signal });
    await stage.prepare();
    try {
      await scenario.play(stage);
    } catch (error) {
      throw new Error(`play "${scenario.name}" with ${this.kind === 'ours' ? 'our' : "Cluster API's"} manager`, {
        cause: error,
      });
    }
    return stage.course;
  }

  /** Read from the caches, so that frequent polling costs the server nothing. */
  objects(namespace: string): Objects {
    return {
      sets: this.#sets.cache.list(namespace),
      bindings: this.#bindings.cache.list(namespace),
      configMaps: this.#configMaps.cache.list(namespace),
      secrets: this.#secrets.cache
        .list(namespace)
        .filter(({ metadata }) => metadata.name?.endsWith('-kubeconfig') !== true),
    };
  }
}

function openWorkload(t: Cleaner, cluster: TestCluster): Workload {
  return { cluster, client: clientOf(t, cluster) };
}

function clientOf(t: Cleaner, cluster: TestCluster): KubeClient {
  const client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
  t.after(() => client.close());
  return client;
}
