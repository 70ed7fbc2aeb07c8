import { CORE, createKubeClient, type KubeClient, type KubeObject, type ObjectRef, parseKubeConfig } from '#kit/kube';
import { InformerFactory } from '#kit/kube/cache';
import { runGroups } from '#kit/reconcile';
import { sleep } from '#kit/std';
import { installCapiDefinitions } from '#testing/capi';
import { type Cleaner, ownCluster, sharedCluster, type TestCluster } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { createCaches } from '../adapters/caches.ts';
import { createResourceSetControllers } from '../adapters/create-controllers.ts';
import {
  BINDINGS,
  type BindingObject,
  CLUSTERS,
  type ResourceObject,
  SETS,
  type SetObject,
} from '../adapters/kinds.ts';
import { SECRET_TYPE } from '../domain/resource-set.ts';
import type { SetOptions } from '../domain/set-options.ts';
import { SettableWorkloads } from './settable-workloads.ts';

const ADDONS = 'addons.cluster.x-k8s.io/v1beta2';
const LOOK_MS = 50;
const CLUSTER_API = 'cluster.x-k8s.io/v1beta2';

export interface SetFields {
  readonly resources: readonly string[];
  readonly strategy?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly expressions?: readonly object[];
}

/** The two real servers of a suite: the management cluster with the sets, and the workload cluster. */
export class CrsStage {
  readonly management: TestCluster;
  readonly workload: TestCluster;
  readonly client: KubeClient;
  readonly workloadClient: KubeClient;

  static async open(t: Cleaner, signal: AbortSignal): Promise<CrsStage> {
    const management = await ownCluster(t, { size: 'apiserver', name: 'crs' }, signal);
    await installCapiDefinitions(management, { only: isNeeded }, signal);
    const stage = new CrsStage(management, await sharedCluster('controllers', signal));
    t.after(() => stage.client.close());
    t.after(() => stage.workloadClient.close());
    return stage;
  }

  private constructor(management: TestCluster, workload: TestCluster) {
    this.management = management;
    this.workload = workload;
    this.client = createKubeClient({ config: parseKubeConfig(management.kubeconfig()) });
    this.workloadClient = createKubeClient({ config: parseKubeConfig(workload.kubeconfig()) });
  }

  async act(t: Cleaner, signal: AbortSignal): Promise<CrsAct> {
    const namespace = await this.management.namespace(t);
    const target = await this.workload.namespace(t);
    return new CrsAct({ stage: this, namespace, target, signal });
  }
}

interface ActOptions {
  readonly stage: CrsStage;
  readonly namespace: string;
  readonly target: string;
  readonly signal: AbortSignal;
}

/** One test on the stage, in its own namespaces. */
export class CrsAct {
  readonly namespace: string;
  /** On the workload cluster. */
  readonly target: string;
  readonly workloads: SettableWorkloads;
  /** Requests of the controllers to the management server, except those of their caches. */
  readonly requests: string[] = [];
  readonly #stage: CrsStage;
  readonly #signal: AbortSignal;

  constructor({ stage, namespace, target, signal }: ActOptions) {
    this.#stage = stage;
    this.namespace = namespace;
    this.target = target;
    this.#signal = signal;
    this.workloads = new SettableWorkloads(stage.workloadClient);
  }

  /** Runs the controllers until the returned function is called. */
  start(options: Partial<SetOptions> = {}): () => Promise<void> {
    const { management } = this.#stage;
    const config = parseKubeConfig(management.kubeconfig());
    const client = recording(createKubeClient({ config }), (request) => this.requests.push(request));
    const watching = createKubeClient({ config });
    const informers = new InformerFactory({ client: watching });
    const caches = createCaches({ informers, namespace: this.namespace });
    const controllers = createResourceSetControllers({ caches, client, workloads: this.workloads, options });
    const stop = new AbortController();
    const running = runGroups(
      [
        { name: 'informers', runnables: [informers], stopWithinMs: 5_000 },
        { name: 'controllers', runnables: controllers, stopWithinMs: 20_000 },
      ],
      stop.signal,
    ).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    return async () => {
      stop.abort();
      await running;
      await Promise.all([client.close(), watching.close()]);
    };
  }

  async cluster(name: string, labels: Readonly<Record<string, string>> = { cni: 'yes' }): Promise<void> {
    const metadata = { name, namespace: this.namespace, labels };
    await this.#create(CLUSTERS, {
      apiVersion: CLUSTER_API,
      kind: 'Cluster',
      metadata,
      spec: { paused: false },
    } as KubeObject);
  }

  async set(name: string, fields: SetFields): Promise<void> {
    const { resources, strategy = 'ApplyOnce', labels = { cni: 'yes' }, annotations, expressions } = fields;
    await this.#create(SETS, {
      apiVersion: ADDONS,
      kind: 'ClusterResourceSet',
      metadata: { name, namespace: this.namespace, ...(annotations && { annotations }) },
      spec: {
        strategy,
        clusterSelector: { matchLabels: labels, ...(expressions && { matchExpressions: expressions }) },
        resources: resources.map((ref) => ({ kind: ref.split('/')[0], name: ref.split('/')[1] })),
      },
    } as KubeObject);
  }

  /** A resource with these values; the keys keep their order. */
  async configMap(name: string, values: readonly string[]): Promise<void> {
    const data = Object.fromEntries(values.map((value, index) => [`k${index}`, value]));
    await this.#create(CORE.configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: this.namespace },
      data,
    } as KubeObject);
  }

  async secret(name: string, values: readonly string[], type: string = SECRET_TYPE): Promise<void> {
    const stringData = Object.fromEntries(values.map((value, index) => [`k${index}`, value]));
    const metadata = { name, namespace: this.namespace };
    await this.#create(CORE.secrets, { apiVersion: 'v1', kind: 'Secret', metadata, type, stringData } as KubeObject);
  }

  /** A ConfigMap for the workload cluster, as manifest text. */
  manifest(name: string, data: Readonly<Record<string, string>> = { a: '1' }, namespace = this.target): string {
    return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data });
  }

  async patch(kind: keyof typeof KINDS, name: string, patch: object): Promise<void> {
    const ref = { resource: KINDS[kind], namespace: this.namespace, name };
    await this.#stage.client.patch(ref, { type: 'merge', patch }, {}, this.#signal);
  }

  async remove(kind: keyof typeof KINDS, name: string): Promise<void> {
    await this.#stage.client.delete({ resource: KINDS[kind], namespace: this.namespace, name }, {}, this.#signal);
  }

  /** `undefined` if it does not exist. */
  async get<T extends KubeObject>(kind: keyof typeof KINDS, name: string): Promise<T | undefined> {
    const ref = { resource: KINDS[kind], namespace: this.namespace, name };
    return await this.#stage.client.get<T>(ref, this.#signal).catch(() => undefined);
  }

  async theSet(name: string): Promise<SetObject> {
    return await this.#stage.client.get<SetObject>({ resource: SETS, namespace: this.namespace, name }, this.#signal);
  }

  async binding(name: string): Promise<BindingObject | undefined> {
    return await this.get<BindingObject>('binding', name);
  }

  /** The resources of each set, and whether they are applied. */
  async entries(cluster: string): Promise<Readonly<Record<string, Readonly<Record<string, boolean>>>> | undefined> {
    const binding = await this.binding(cluster);
    if (binding === undefined) return undefined;
    return Object.fromEntries(
      (binding.spec?.bindings ?? []).map(({ clusterResourceSetName, resources = [] }) => [
        clusterResourceSetName,
        Object.fromEntries(resources.map(({ kind, name, applied = false }) => [`${kind}/${name}`, applied])),
      ]),
    );
  }

  /** The condition `ResourcesApplied` in both API generations. */
  async applied(set: string) {
    const { status } = await this.theSet(set);
    const legacy = status?.deprecated?.v1beta1?.conditions?.find(({ type }) => type === 'ResourcesApplied');
    const condition = status?.conditions?.find(({ type }) => type === 'ResourcesApplied');
    return { status: condition?.status, reason: condition?.reason, message: condition?.message, legacy };
  }

  /** On the workload cluster. */
  async delivered(name: string, namespace = this.target): Promise<ResourceObject | undefined> {
    const ref = { resource: CORE.configMaps, namespace, name };
    return await this.#stage.workloadClient.get<ResourceObject>(ref, this.#signal).catch(() => undefined);
  }

  async deliver(object: object, namespace = this.target): Promise<void> {
    const ref = { resource: CORE.configMaps, namespace };
    await this.#stage.workloadClient.create(ref, object as KubeObject, {}, this.#signal);
  }

  async change(name: string, patch: object): Promise<void> {
    const ref = { resource: CORE.configMaps, namespace: this.target, name };
    await this.#stage.workloadClient.patch(ref, { type: 'merge', patch }, {}, this.#signal);
  }

  async newTarget(name: string): Promise<void> {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await this.#stage.workloadClient.create({ resource: CORE.namespaces }, object, {}, this.#signal);
  }

  async eventually<T>(body: () => Promise<T> | T): Promise<T> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(PATIENCE_MS)]);
    for (;;) {
      try {
        return await body();
      } catch (error) {
        if (signal.aborted) throw error;
        await sleep(LOOK_MS, signal).catch(() => undefined);
      }
    }
  }

  async #create(resource: (typeof KINDS)[keyof typeof KINDS], object: KubeObject): Promise<void> {
    await this.#stage.client.create({ resource, namespace: this.namespace }, object, {}, this.#signal);
  }
}

const KINDS = {
  set: SETS,
  binding: BINDINGS,
  cluster: CLUSTERS,
  configMap: CORE.configMaps,
  secret: CORE.secrets,
} as const;

function isNeeded({
  spec,
}: {
  readonly spec: { readonly group: string; readonly names: { readonly plural: string } };
}) {
  return spec.group === 'addons.cluster.x-k8s.io' || spec.names.plural === 'clusters';
}

/** Records each request, such as `patch ConfigMap/settings`. */
function recording(client: KubeClient, note: (request: string) => void): KubeClient {
  return new Proxy(client, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...args: readonly [Partial<ObjectRef>?]) => {
        const [ref] = args;
        if (ref?.resource) note(`${String(key)} ${ref.resource.kind}/${ref.name ?? ''}`);
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
}
