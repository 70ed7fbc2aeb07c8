import { isKubeError, type KubeClient } from '#kit/kube';
import type { Bindings } from '../application/ports.ts';
import type { Binding, BindingContent } from '../domain/binding.ts';
import { CrsError } from '../domain/crs-error.ts';
import { type NamespacedName, PAUSED_ANNOTATION } from '../domain/resource-set.ts';
import type { FreshCache } from './fresh-cache.ts';
import { ADDONS_API, BINDING_KIND, BINDINGS, type BindingObject } from './kinds.ts';
import { asConflict, FIELD_MANAGER, writeFresh } from './management-write.ts';
import { readOnce } from './read-once.ts';

export interface KubeBindingsDeps {
  readonly client: KubeClient;
  readonly fresh: FreshCache<BindingObject>;
}

export class KubeBindings implements Bindings {
  readonly #client: KubeClient;
  readonly #fresh: FreshCache<BindingObject>;
  /** The object that each binding was read from. */
  readonly #objects = new WeakMap<Binding, BindingObject>();
  readonly #read = readOnce((object: BindingObject) => {
    const binding = readBinding(object);
    this.#objects.set(binding, object);
    return binding;
  });

  constructor({ client, fresh }: KubeBindingsDeps) {
    this.#client = client;
    this.#fresh = fresh;
  }

  get(key: NamespacedName): Binding | undefined {
    const object = this.#fresh.get(key);
    return object && this.#read(object);
  }

  inNamespace(namespace: string): readonly Binding[] {
    return this.#fresh.list(namespace).map(this.#read);
  }

  async reread({ namespace, name }: NamespacedName, signal: AbortSignal): Promise<Binding | undefined> {
    try {
      const object = await this.#client.get<BindingObject>({ resource: BINDINGS, namespace, name }, signal);
      this.#fresh.wrote(object);
      return this.#read(object);
    } catch (error) {
      if (!isKubeError(error, 'NOT_FOUND')) throw error;
      this.#fresh.forget({ namespace, name });
      return undefined;
    }
  }

  async create({ namespace, name }: NamespacedName, content: BindingContent, signal: AbortSignal): Promise<void> {
    const metadata = { namespace, name, ownerReferences: content.owners };
    const object = { apiVersion: ADDONS_API, kind: BINDING_KIND, metadata, spec: specOf(content) };
    const place = { resource: BINDINGS, namespace };
    await writeFresh(this.#fresh, object, () =>
      this.#client.create<BindingObject>(place, object, { fieldManager: FIELD_MANAGER }, signal),
    );
  }

  /**
   * DECISION: writes the whole object, not a patch. An API server needs two thirds of the time of a merge patch, and
   * with twenty sets on a cluster this is most of the cost of a change. The version in the object makes a concurrent
   * change a conflict, and omitted managed fields are kept.
   */
  async update(binding: Binding, content: BindingContent, signal: AbortSignal): Promise<void> {
    const { namespace, name } = binding;
    const object = this.#objects.get(binding);
    if (object === undefined)
      throw new CrsError('CONFLICT', `write binding ${namespace}/${name}: it was not read here`);
    const next: BindingObject = {
      ...object,
      metadata: { ...object.metadata, ownerReferences: content.owners },
      spec: specOf(content),
    };
    const options = { fieldManager: FIELD_MANAGER, fieldValidation: 'Ignore' } as const;
    const ref = { resource: BINDINGS, namespace, name };
    await writeFresh(this.#fresh, object, () => this.#client.replace<BindingObject>(ref, next, options, signal));
  }

  /** Conditional on the version that was read: a binding that got another entry meanwhile is not deleted. */
  async delete({ namespace, name, uid, resourceVersion }: Binding, signal: AbortSignal): Promise<void> {
    try {
      await this.#client.delete({ resource: BINDINGS, namespace, name }, { uid, resourceVersion }, signal);
    } catch (error) {
      if (!isKubeError(error, 'NOT_FOUND')) throw asConflict(error);
    }
    this.#fresh.deleted({ apiVersion: ADDONS_API, kind: BINDING_KIND, metadata: { namespace, name, uid } });
  }
}

function readBinding({ metadata, spec = {} }: BindingObject): Binding {
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    isPaused: Object.hasOwn(metadata.annotations ?? {}, PAUSED_ANNOTATION),
    isDeleting: metadata.deletionTimestamp !== undefined,
    clusterName: spec.clusterName ?? '',
    owners: metadata.ownerReferences ?? [],
    entries: (spec.bindings ?? []).map(({ clusterResourceSetName, resources = [] }) => ({
      setName: clusterResourceSetName,
      resources: resources.map(({ applied = false, ...resource }) => ({ ...resource, applied })),
    })),
  };
}

function specOf({ clusterName, entries }: BindingContent) {
  const bindings = entries.map(({ setName, resources }) => ({
    clusterResourceSetName: setName,
    ...(resources.length > 0 && { resources }),
  }));
  return { clusterName, bindings };
}
