import { applyMergePatch, isJsonObject, type JsonObject, sameJson } from '#kit/std';
import type { WorkloadApi, WorkloadClusters, Written } from '../application/ports.ts';
import type { Cluster } from '../domain/cluster.ts';
import { CrsError } from '../domain/crs-error.ts';
import { identityOf } from '../domain/describe-object.ts';
import { type InventoryItem, idOf } from '../domain/inventory.ts';
import type { ManifestObject } from '../domain/manifest.ts';
import { replacement } from '../domain/merge-patch.ts';

/** In-memory workload clusters that all share the same objects. */
export class FakeWorkload implements WorkloadClusters {
  /** By id. */
  readonly objects = new Map<string, JsonObject>();
  readonly requests: string[] = [];
  /** Names of unreachable clusters, and why. */
  readonly down = new Map<string, string>();
  /** Called before each request, with its line. Throw `refused` or `lost` to make it fail; wait to delay it. */
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
      return this.objects.has(idOf(identityOf(object))) ? undefined : this.#put(object);
    },
    patch: async (object, patch) => {
      await this.#note('patch', object);
      const before = this.objects.get(idOf(identityOf(object)));
      if (before === undefined) throw refused('it is not there');
      return this.#put(applyMergePatch(before, patch), before);
    },
    replace: async (object, resourceVersion) => {
      await this.#note('replace', object);
      const before = this.objects.get(idOf(identityOf(object)));
      const isStill = before !== undefined && serverFieldsOf(before).resourceVersion === resourceVersion;
      return isStill ? this.#put(replacement(object, resourceVersion), before) : undefined;
    },
    apply: async (object) => {
      await this.#note('apply', object);
      const before = this.objects.get(idOf(identityOf(object)));
      // This fake has no field ownership: an apply is merged into the existing object.
      return this.#put(before === undefined ? object : applyMergePatch(before, object), before);
    },
    delete: async (item: InventoryItem & { readonly uid: string }) => {
      this.requests.push(`delete ${item.name}`);
      await this.before(`delete ${item.name}`);
      const present = this.objects.get(idOf(item));
      if (present && serverFieldsOf(present).uid === item.uid) this.objects.delete(idOf(item));
    },
  };

  async #note(verb: string, object: ManifestObject): Promise<void> {
    const { name } = identityOf(object);
    if (name === '') throw refused('it has no name');
    const line = `${verb} ${name}`;
    this.requests.push(line);
    await this.before(line);
  }

  /** An unchanged object keeps its version. */
  #put(object: JsonObject, before?: JsonObject): Written {
    const hasStatus = Object.hasOwn(object, 'status');
    const { uid = `uid-${this.#version + 1}`, resourceVersion = '' } =
      before === undefined ? {} : serverFieldsOf(before);
    const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
    const next = { ...object, metadata: { ...metadata, uid, resourceVersion } };
    if (sameJson(before, next)) return { uid, resourceVersion, hasStatus };
    this.#version += 1;
    const version = String(this.#version);
    this.objects.set(idOf(identityOf(object)), {
      ...next,
      metadata: { ...next.metadata, resourceVersion: version },
    });
    return { uid, resourceVersion: version, hasStatus };
  }
}

export function refused(why = 'the server says no'): CrsError {
  return new CrsError('OBJECT_NOT_APPLIED', why);
}

export function lost(): CrsError {
  return new CrsError('CLUSTER_UNREACHABLE', 'the connection is lost');
}

/** A ConfigMap as it stands in a manifest. */
export function anObject(name: string, data: Readonly<Record<string, string>> = { a: '1' }): ManifestObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop' }, data };
}

function serverFieldsOf({ metadata }: JsonObject): { readonly uid?: string; readonly resourceVersion?: string } {
  const { uid, resourceVersion } = isJsonObject(metadata) ? metadata : {};
  return {
    ...(typeof uid === 'string' && { uid }),
    ...(typeof resourceVersion === 'string' && { resourceVersion }),
  };
}
