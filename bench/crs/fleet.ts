import { CORE, type KubeObject, type Resource } from '#kit/kube';
import { configMapText } from '../../e2e/crs/config-map-text.ts';
import { CRS, MATCHING } from '../../e2e/crs/crs-objects.ts';
import type { World } from './crs-world.ts';

export interface FleetSize {
  readonly sets: number;
  readonly clusters: number;
}

/** Sets and clusters in a namespace of their own, on servers shared with other runs. */
export class Fleet {
  readonly namespace: string;
  readonly size: FleetSize;
  readonly setNames: readonly string[];
  readonly clusterNames: readonly string[];
  readonly #world: World;

  constructor(world: World, size: FleetSize, namespace: string) {
    this.#world = world;
    this.size = size;
    this.namespace = namespace;
    this.setNames = Array.from({ length: size.sets }, (_, index) => `set-${index}`);
    this.clusterNames = Array.from({ length: size.clusters }, (_, index) => `cluster-${index}`);
  }

  /** Creates everything but the sets: kubeconfigs, clusters, and the contents for the sets to apply. */
  async prepare(signal: AbortSignal): Promise<void> {
    const { management, workloads } = this.#world;
    for (const { client } of [management, ...workloads]) {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } };
      await client.create({ resource: CORE.namespaces }, namespace, {}, signal);
    }
    await Promise.all(this.clusterNames.map((name, index) => this.#createCluster(name, index, signal)));
    await Promise.all(
      this.setNames.map((name) =>
        this.#create(CORE.configMaps, { metadata: { name }, data: { value: this.#contents(name, 'first') } }, signal),
      ),
    );
  }

  async createSets(signal: AbortSignal): Promise<void> {
    await Promise.all(
      this.setNames.map((name) => {
        const resources = [{ kind: 'ConfigMap', name }];
        const spec = { clusterSelector: { matchLabels: MATCHING }, strategy: 'Reconcile', resources };
        return this.#create(CRS.sets, { metadata: { name }, spec }, signal);
      }),
    );
  }

  /** Changes the contents of these sets, all at once. */
  async change(sets: readonly string[], turn: string, signal: AbortSignal): Promise<void> {
    const { client } = this.#world.management;
    await Promise.all(
      sets.map((name) => {
        const ref = { resource: CORE.configMaps, namespace: this.namespace, name };
        const patch = { data: { value: this.#contents(name, turn) } };
        return client.patch(ref, { type: 'merge', patch }, {}, signal);
      }),
    );
  }

  /**
   * Removes everything, so that no other run is affected. The sets' finalizers are removed first, because no manager runs
   * to do it.
   */
  async remove(signal: AbortSignal): Promise<void> {
    const { client } = this.#world.management;
    const { namespace } = this;
    const finalizers = { metadata: { finalizers: null } };
    for (const [resource, names] of [
      [CRS.sets, this.setNames],
      [CRS.clusters, this.clusterNames],
    ] as const) {
      await Promise.all(
        names.map((name) =>
          client.patch({ resource, namespace, name }, { type: 'merge', patch: finalizers }, {}, signal),
        ),
      );
    }
    for (const resource of [CRS.sets, CRS.clusters, CRS.bindings, CORE.configMaps, CORE.secrets]) {
      await client.deleteCollection({ resource, namespace }, {}, signal);
    }
  }

  async #createCluster(name: string, index: number, signal: AbortSignal): Promise<void> {
    const { workloads } = this.#world;
    const workload = workloads[index % workloads.length]?.cluster;
    if (workload === undefined) throw new Error('create a Cluster: there is no workload server');
    const value = Buffer.from(workload.kubeconfig()).toString('base64');
    const labels = { 'cluster.x-k8s.io/cluster-name': name };
    const secret = {
      metadata: { name: `${name}-kubeconfig`, labels },
      type: 'cluster.x-k8s.io/secret',
      data: { value },
    };
    await this.#create(CORE.secrets, secret, signal);
    const spec = { controlPlaneEndpoint: { host: '127.0.0.1', port: Number(new URL(workload.server).port) } };
    await this.#create(CRS.clusters, { metadata: { name, labels: MATCHING }, spec }, signal);
  }

  /** About a kilobyte. */
  #contents(name: string, turn: string): string {
    return configMapText({ name, namespace: this.namespace, data: { turn, note: 'x'.repeat(850) } });
  }

  async #create(resource: Resource, object: object, signal: AbortSignal): Promise<void> {
    const { group, version, kind } = resource;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const whole = { apiVersion, kind, ...object } as KubeObject;
    await this.#world.management.client.create({ resource, namespace: this.namespace }, whole, {}, signal);
  }
}
