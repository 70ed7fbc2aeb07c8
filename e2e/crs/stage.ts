import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { CORE, type KubeClient, type KubeObject, type Resource } from '#kit/kube';
import { PATIENCE_MS } from '#testing/patience';
import { configMapText } from './config-map-text.ts';
import { contentsOf, hashOf } from './contents.ts';
import {
  type Cluster,
  CRS,
  type DataObject,
  type LabelSelector,
  MATCHING,
  RESOURCE_SET_SECRET,
  type ResourceRef,
  type ResourceSet,
  type Strategy,
} from './crs-objects.ts';
import type { ManagerKind } from './managers.ts';
import { type Objects, Seen } from './seen.ts';
import { type Snapshot, type Surroundings, snapshotOf, workloadSnapshotOf } from './snapshot.ts';
import { WORKLOADS, type Workload, type WorkloadName } from './workload.ts';

/** The manager under test, and its clusters. */
export interface StageSide {
  readonly kind: ManagerKind;
  /** Client of the management cluster. */
  readonly client: KubeClient;
  readonly workloads: Readonly<Record<WorkloadName, Workload>>;
  /** The objects in a namespace of the management cluster, as cached. */
  objects(namespace: string): Objects;
}

export interface StageOptions {
  readonly side: StageSide;
  readonly namespace: string;
  readonly workloadNamespace: string;
  readonly signal: AbortSignal;
}

export interface ClusterOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly workload?: WorkloadName;
  /** Text of the kubeconfig: the workload administrator's by default, null for none. */
  readonly kubeconfig?: string | null;
}

export interface SetOptions {
  readonly resources: readonly ResourceRef[];
  readonly strategy?: Strategy | 'none';
  readonly selector?: LabelSelector;
  readonly annotations?: Readonly<Record<string, string>>;
}

export type Question = (seen: Seen) => boolean;

/** One predicate for both managers, or one for each where they are meant to differ. */
export type Questions = Question | Readonly<Record<ManagerKind, Question>>;

export interface MomentOptions {
  /** Upstream alternates between states without end, so waiting for it to settle is pointless. */
  readonly upstreamIsRestless?: boolean;
}

const LOOK_MS = 100;
/** Upstream leaves a second between two visits of one set, and a new set takes three visits. */
const QUIET_MS = { upstream: 3_000, ours: 1_500 } as const;

/** The namespaces that one scenario plays in: one on the management cluster, and one on each workload cluster. */
export class Stage {
  readonly namespace: string;
  readonly workloadNamespace: string;
  readonly signal: AbortSignal;
  readonly course: Record<string, Snapshot> = {};
  readonly #side: StageSide;
  readonly #uids = new Map<string, string>();
  readonly #hashes = new Map<string, string>();

  constructor({ side, namespace, workloadNamespace, signal }: StageOptions) {
    this.#side = side;
    this.namespace = namespace;
    this.workloadNamespace = workloadNamespace;
    this.signal = signal;
  }

  get manager(): ManagerKind {
    return this.#side.kind;
  }

  async prepare(): Promise<void> {
    const named = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await this.#side.client.create({ resource: CORE.namespaces }, named(this.namespace), {}, this.signal);
    for (const name of WORKLOADS) await this.createNamespace(name, this.workloadNamespace);
  }

  /**
   * Creates a Cluster and its kubeconfig Secret. The Secret comes first: upstream looks for it once, and again only after
   * half a minute.
   */
  async cluster(name: string, options: ClusterOptions = {}): Promise<void> {
    const { labels = MATCHING, workload = 'a' } = options;
    const { cluster } = this.#side.workloads[workload];
    const { kubeconfig = cluster.kubeconfig() } = options;
    if (kubeconfig !== null) await this.kubeconfig(name, kubeconfig);
    const spec = { controlPlaneEndpoint: { host: '127.0.0.1', port: Number(new URL(cluster.server).port) } };
    await this.#create(CRS.clusters, { metadata: { name, labels }, spec });
    if (kubeconfig !== null && this.manager === 'upstream') await this.#untilConnected(name);
  }

  async kubeconfig(cluster: string, text: string): Promise<void> {
    const name = `${cluster}-kubeconfig`;
    const labels = { 'cluster.x-k8s.io/cluster-name': cluster };
    const data = { value: Buffer.from(text).toString('base64') };
    await this.#create(CORE.secrets, { metadata: { name, labels }, type: 'cluster.x-k8s.io/secret', data });
  }

  async set(name: string, options: SetOptions): Promise<void> {
    const { resources, strategy = 'ApplyOnce', selector = { matchLabels: MATCHING }, annotations } = options;
    const spec = { clusterSelector: selector, resources, ...(strategy !== 'none' && { strategy }) };
    const metadata = { name, ...(annotations && { annotations }) };
    const created = await this.#create<ResourceSet>(CRS.sets, { metadata, spec });
    const again = [...this.#uids.values()].filter((it) => it.startsWith(`<uid of ${name}`)).length;
    this.#uids.set(created.metadata.uid ?? '', `<uid of ${name}${again === 0 ? '' : `, made anew ${again}`}>`);
  }

  /** Creates a ConfigMap with these values; a plain string is its only value. */
  async configMap(name: string, values: string | Readonly<Record<string, string>>): Promise<ResourceRef> {
    await this.#create(CORE.configMaps, { metadata: { name }, data: valuesOf(values) });
    return { kind: 'ConfigMap', name };
  }

  async secret(
    name: string,
    values: string | Readonly<Record<string, string>>,
    type = RESOURCE_SET_SECRET,
  ): Promise<ResourceRef> {
    await this.#create(CORE.secrets, { metadata: { name }, type, stringData: valuesOf(values) });
    return { kind: 'Secret', name };
  }

  /** Applies a merge patch. */
  async change(resource: Resource, name: string, patch: object): Promise<void> {
    const ref = { resource, namespace: this.namespace, name };
    this.#remember(await this.#side.client.patch(ref, { type: 'merge', patch }, {}, this.signal));
  }

  async rewrite({ kind, name }: ResourceRef, value: string): Promise<void> {
    if (kind === 'ConfigMap') await this.change(CORE.configMaps, name, { data: { value } });
    else await this.change(CORE.secrets, name, { stringData: { value } });
  }

  async remove(resource: Resource, name: string): Promise<void> {
    await this.#side.client.delete({ resource, namespace: this.namespace, name }, {}, this.signal);
  }

  async create(resource: Resource, object: object): Promise<void> {
    await this.#create(resource, object);
  }

  /** A ConfigMap for a workload cluster, as people write it. */
  manifest(name: string, data?: Readonly<Record<string, string>>, namespace = this.workloadNamespace): string {
    return configMapText({ name, namespace, ...(data && { data }) });
  }

  seen(): Seen {
    return new Seen(this.#objects());
  }

  workload(name: WorkloadName = 'a'): Workload {
    return this.#side.workloads[name];
  }

  async createNamespace(where: WorkloadName, name: string): Promise<void> {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await this.workload(where).client.create({ resource: CORE.namespaces }, object, {}, this.signal);
  }

  /** Waits until the predicate holds and nothing changes any more, then records the state under this moment. */
  async reaches(
    moment: string,
    questions: Questions,
    { upstreamIsRestless = false }: MomentOptions = {},
  ): Promise<void> {
    const question = typeof questions === 'function' ? questions : questions[this.manager];
    const patience = AbortSignal.any([this.signal, AbortSignal.timeout(PATIENCE_MS)]);
    const needsQuiet = !(upstreamIsRestless && this.manager === 'upstream');
    let last: unknown;
    let since = performance.now();
    for (;;) {
      const now = snapshotOf(this.#objects(), this.#surroundings());
      if (!isDeepStrictEqual(now, last)) [last, since] = [now, performance.now()];
      const isQuiet = !needsQuiet || performance.now() - since >= QUIET_MS[this.manager];
      if (question(this.seen()) && isQuiet) break;
      await delay(LOOK_MS, undefined, { signal: patience }).catch(() => {
        throw new Error(`wait for "${moment}": it was last seen like this: ${JSON.stringify(now, undefined, 1)}`);
      });
    }
    const workload = await this.#workloadSnapshot();
    this.course[moment] = { ...snapshotOf(this.#objects(), this.#surroundings()), workload };
  }

  async #workloadSnapshot(): Promise<Snapshot['workload']> {
    const shown: Record<string, object> = {};
    for (const name of WORKLOADS) {
      const { client } = this.workload(name);
      const lists = await Promise.all(
        [CORE.configMaps, CORE.secrets].map(async (resource) => {
          const ref = { resource, namespace: this.workloadNamespace };
          const { items } = await client.list<DataObject>(ref, {}, this.signal);
          return items.map((item) => ({ ...item, kind: resource.kind }));
        }),
      );
      // A controller creates this one in every namespace.
      const objects = lists.flat().filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt');
      shown[name] = workloadSnapshotOf(objects, this.#surroundings());
    }
    return shown;
  }

  #objects() {
    return this.#side.objects(this.namespace);
  }

  #surroundings(): Surroundings {
    return { uids: this.#uids, names: { ...this.#names(), ...Object.fromEntries(this.#hashes) } };
  }

  #names(): Readonly<Record<string, string>> {
    return { [this.namespace]: '<management>', [this.workloadNamespace]: '<workload>' };
  }

  /** Remembers the hash of contents that contain generated names under the hash of the contents with stable names. */
  #remember(object: DataObject): void {
    if (object.kind !== 'ConfigMap' && object.kind !== 'Secret') return;
    const values = contentsOf(object);
    const renamed = Object.entries(this.#names()).reduce(
      (texts, [made, called]) => texts.map((text) => text.replaceAll(made, called)),
      values,
    );
    this.#hashes.set(hashOf(values), hashOf(renamed));
  }

  /** Upstream connects in its own time; a set created before that starts with an error that says nothing. */
  async #untilConnected(name: string): Promise<void> {
    const patience = AbortSignal.any([this.signal, AbortSignal.timeout(PATIENCE_MS)]);
    const ref = { resource: CRS.clusters, namespace: this.namespace, name };
    for (;;) {
      const { status } = await this.#side.client.get<Cluster>(ref, patience);
      const probe = status?.conditions?.find(({ type }) => type === 'RemoteConnectionProbe');
      if (probe?.status === 'True') return;
      await delay(2 * LOOK_MS, undefined, { signal: patience });
    }
  }

  async #create<T extends KubeObject>(resource: Resource, object: object): Promise<T> {
    const { group, version, kind } = resource;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const whole = { apiVersion, kind, ...object } as T;
    const created = await this.#side.client.create<T>({ resource, namespace: this.namespace }, whole, {}, this.signal);
    this.#remember(created);
    return created;
  }
}

function valuesOf(values: string | Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return typeof values === 'string' ? { value: values } : values;
}
