import type { WorkloadApi, WorkloadClusters, Written } from '../application/ports.ts';
import type { Cluster } from '../domain/cluster.ts';
import { CrsError } from '../domain/crs-error.ts';
import { identityOf } from '../domain/describe-object.ts';
import { type InventoryItem, idOf } from '../domain/inventory.ts';
import { isJsonObject, type JsonObject } from '../domain/json-value.ts';
import type { ManifestObject } from '../domain/manifest.ts';

/** Workload clusters in memory, all with the same objects. */
export class FakeWorkload implements WorkloadClusters {
  /** By id. */
  readonly objects = new Map<string, JsonObject>();
  readonly requests: string[] = [];
  /** Names of clusters that cannot be reached, and why. */
  readonly down = new Map<string, string>();
  /** Called before each request, with its line. To make it fail, throw `refused` or `lost`; to hold it up, wait. */
  before: (line: string) => Promise<void> | void = () => undefined;
  #version = 0;

  async connect({ name }: Cluster): Promise<WorkloadApi> {
    const why = this.down.get(name);
    if (why !== undefined) throw new CrsError('CLUSTER_UNREACHABLE', why);
    return this.#api;
  }

  get(name: string): JsonObject | undefined {
    return this.objects.get(`/ConfigMap/shop/${name}`);
  }

  readonly #api: WorkloadApi = {
    get: async (object) => {
      await this.#note('get', object);
      return this.objects.get(idOf(identityOf(object)));
    },
    create: async (object) => {
      await this.#note('create', object);
      return this.objects.has(idOf(identityOf(object))) ? undefined : this.#put(object, `uid-${this.#version + 1}`);
    },
    patch: async (object) => {
      await this.#note('patch', object);
      return this.#put(object, uidOf(this.objects.get(idOf(identityOf(object)))));
    },
    apply: async (object) => {
      await this.#note('apply', object);
      const before = this.objects.get(idOf(identityOf(object)));
      return this.#put(object, before ? uidOf(before) : `uid-${this.#version + 1}`);
    },
    delete: async (item: InventoryItem & { readonly uid: string }) => {
      this.requests.push(`delete ${item.name}`);
      await this.before(`delete ${item.name}`);
      if (uidOf(this.objects.get(idOf(item))) === item.uid) this.objects.delete(idOf(item));
    },
  };

  async #note(verb: string, object: ManifestObject): Promise<void> {
    const line = `${verb} ${identityOf(object).name}`;
    this.requests.push(line);
    await this.before(line);
  }

  #put(object: ManifestObject, uid: string): Written {
    this.#version += 1;
    const resourceVersion = String(this.#version);
    const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
    this.objects.set(idOf(identityOf(object)), { ...object, metadata: { ...metadata, uid, resourceVersion } });
    return { uid, resourceVersion };
  }
}

export function refused(why = 'the server says no'): CrsError {
  return new CrsError('OBJECT_NOT_APPLIED', why);
}

export function lost(): CrsError {
  return new CrsError('CLUSTER_UNREACHABLE', 'the connection is lost');
}

/** A ConfigMap of a manifest. */
export function anObject(name: string, data: Readonly<Record<string, string>> = { a: '1' }): ManifestObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop' }, data };
}

function uidOf(object: JsonObject | undefined): string {
  const metadata = object?.['metadata'];
  return isJsonObject(metadata) && typeof metadata['uid'] === 'string' ? metadata['uid'] : '';
}
