import type {
  Bindings,
  Clusters,
  FoundResource,
  Inventories,
  ResourceContent,
  ResourceReading,
  ResourceSets,
  Resources,
} from '../application/ports.ts';
import type { Binding, BindingContent, Owner } from '../domain/binding.ts';
import type { Cluster } from '../domain/cluster.ts';
import { CrsError } from '../domain/crs-error.ts';
import type { ResourceSetInventory } from '../domain/inventory.ts';
import type { ManifestObject } from '../domain/manifest.ts';
import type { NamespacedName, ResourceRef, ResourceSet } from '../domain/resource-set.ts';
import type { SetStatus } from '../domain/set-status.ts';

interface Stored {
  readonly resource: FoundResource;
  readonly content: ResourceContent;
}

/** An in-memory management cluster. A write of something that changed since it was read is a conflict. */
export class FakeManagement {
  readonly setsByName = new Map<string, ResourceSet>();
  readonly clustersByName = new Map<string, Cluster>();
  readonly bindingsByName = new Map<string, Binding>();
  readonly stored = new Map<string, Stored>();
  readonly inventoriesByName = new Map<string, ResourceSetInventory>();
  /** Inventories that cannot be read. */
  readonly spoiled = new Set<string>();
  readonly wrongType = new Set<string>();
  /** All writes, in order. */
  readonly writes: string[] = [];
  /** Called before each write, with its line. Throw to make the write fail. */
  beforeWrite: (line: string) => void = () => undefined;
  #version = 100;

  put(...things: readonly (ResourceSet | Cluster)[]): void {
    for (const thing of things) {
      if ('selector' in thing) this.setsByName.set(thing.name, thing);
      else this.clustersByName.set(thing.name, thing);
    }
  }

  change(name: string, fields: Partial<ResourceSet>): void {
    const set = this.setsByName.get(name);
    if (set) this.setsByName.set(name, { ...set, ...fields, resourceVersion: this.#next() });
  }

  /** A ConfigMap with these objects; without objects, one that cannot be read. */
  putResource(
    name: string,
    objects: readonly ManifestObject[] | undefined,
    hash = JSON.stringify(objects ?? name),
  ): void {
    const manifest = objects
      ? ({ kind: 'objects', objects } as const)
      : ({ kind: 'unreadable', why: 'it is not YAML' } as const);
    const resourceVersion = this.#next();
    const owners = this.stored.get(name)?.resource.owners ?? [];
    const resource = {
      kind: 'ConfigMap',
      name,
      namespace: 'fleet',
      uid: `uid-of-${name}`,
      resourceVersion,
      owners,
      hash,
    };
    this.stored.set(name, { resource, content: { hash, manifest } });
  }

  /** A ConfigMap without any content. */
  putEmpty(name: string): void {
    this.putResource(name, []);
    const found = this.stored.get(name);
    if (found) this.stored.set(name, { ...found, resource: { ...found.resource, hash: undefined } });
  }

  putBinding(name: string, content: Partial<BindingContent> & Partial<Binding>): void {
    const binding = { namespace: 'fleet', name, uid: `uid-of-${name}`, isPaused: false, isDeleting: false };
    const empty = { clusterName: name, owners: [], entries: [] };
    this.bindingsByName.set(name, { ...binding, ...empty, ...content, resourceVersion: this.#next() });
  }

  readonly sets: ResourceSets = {
    get: ({ name }) => this.setsByName.get(name),
    inNamespace: () => [...this.setsByName.values()],
    setFinalizers: async (set, finalizers) => {
      const isOver = set.isDeleting && finalizers.length === 0;
      this.#writeSet(`finalizers ${set.name} [${finalizers.join()}]`, set, { finalizers });
      if (isOver) this.setsByName.delete(set.name);
    },
    writeStatus: async (set: ResourceSet, status: SetStatus) => {
      const applied = status.conditions.find(({ type }) => type === 'ResourcesApplied');
      this.#writeSet(`status ${set.name} ${applied?.reason ?? 'none'}`, set, { status });
    },
  };

  readonly clusters: Clusters = {
    get: ({ name }) => this.clustersByName.get(name),
    inNamespace: () => [...this.clustersByName.values()],
  };

  readonly bindings: Bindings = {
    get: ({ name }) => this.bindingsByName.get(name),
    inNamespace: () => [...this.bindingsByName.values()],
    reread: async ({ name }) => this.bindingsByName.get(name),
    create: async ({ name }: NamespacedName, content) => {
      this.#write(`create binding ${name}`);
      if (this.bindingsByName.has(name)) throw new CrsError('CONFLICT', 'it is there');
      this.putBinding(name, content);
    },
    update: async (binding, content) => {
      this.#write(`update binding ${binding.name}`);
      this.#check(this.bindingsByName.get(binding.name), binding);
      this.putBinding(binding.name, { ...binding, ...content });
    },
    delete: async (binding) => {
      this.#write(`delete binding ${binding.name}`);
      const present = this.bindingsByName.get(binding.name);
      if (present) this.#check(present, binding);
      this.bindingsByName.delete(binding.name);
    },
  };

  readonly resources: Resources = {
    peek: (_, { name }) => (this.wrongType.has(name) ? undefined : this.stored.get(name)?.resource),
    read: async (_, { name }: ResourceRef): Promise<ResourceReading> => {
      if (this.wrongType.has(name)) return { kind: 'wrong-type' };
      const found = this.stored.get(name);
      return found ? { kind: 'found', resource: found.resource } : { kind: 'missing' };
    },
    content: async ({ name }) => {
      const found = this.stored.get(name);
      if (!found) throw new CrsError('RESOURCE_UNREADABLE', 'it is gone');
      return found.content;
    },
    setOwners: async (resource: FoundResource, owners: readonly Owner[]) => {
      this.#write(`owners ${resource.name} [${owners.map(({ name }) => name).join()}]`);
      const found = this.stored.get(resource.name);
      this.#check(found?.resource, resource);
      if (found)
        this.stored.set(resource.name, { ...found, resource: { ...resource, owners, resourceVersion: this.#next() } });
    },
  };

  readonly inventories: Inventories = {
    read: async (set, cluster) => {
      const name = `${set.name}/${cluster.name}`;
      if (this.spoiled.has(name)) throw new CrsError('INVENTORY_UNREADABLE', `read the inventory of ${name}`);
      return this.inventoriesByName.get(name) ?? { items: [] };
    },
    write: async (set, cluster, inventory) => {
      this.#write(
        `inventory ${set.name}/${cluster.name} [${inventory.items.map(({ name, uid }) => `${name}:${uid ?? '?'}`).join()}]`,
      );
      this.inventoriesByName.set(`${set.name}/${cluster.name}`, inventory);
    },
    delete: async (set, clusterName) => {
      this.#write(`delete inventory ${set.name}/${clusterName}`);
      this.inventoriesByName.delete(`${set.name}/${clusterName}`);
    },
  };

  #writeSet(line: string, set: ResourceSet, fields: Partial<ResourceSet>): void {
    this.#write(line);
    this.#check(this.setsByName.get(set.name), set);
    this.change(set.name, fields);
  }

  #write(line: string): void {
    this.beforeWrite(line);
    this.writes.push(line);
  }

  #check(present: { readonly resourceVersion: string } | undefined, read: { readonly resourceVersion: string }): void {
    if (present?.resourceVersion !== read.resourceVersion) throw new CrsError('CONFLICT', 'it is not as it was read');
  }

  #next(): string {
    this.#version += 1;
    return String(this.#version);
  }
}
