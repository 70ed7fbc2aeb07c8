import type { KubeClient } from '#kit/kube';
import type { ResourceSets } from '../application/ports.ts';
import { type NamespacedName, PAUSED_ANNOTATION, type ResourceSet } from '../domain/resource-set.ts';
import { type SetOptions, setOptions } from '../domain/set-options.ts';
import type { SetStatus } from '../domain/set-status.ts';
import type { FreshCache } from './fresh-cache.ts';
import { SETS, type SetObject } from './kinds.ts';
import { FIELD_MANAGER, writeFresh } from './management-write.ts';
import { readOnce } from './read-once.ts';

export interface KubeResourceSetsDeps {
  readonly client: KubeClient;
  readonly fresh: FreshCache<SetObject>;
  /** Options of sets without annotations of their own. */
  readonly defaults: SetOptions;
}

export class KubeResourceSets implements ResourceSets {
  readonly #client: KubeClient;
  readonly #fresh: FreshCache<SetObject>;
  readonly #read: (object: SetObject) => ResourceSet;

  constructor({ client, fresh, defaults }: KubeResourceSetsDeps) {
    this.#client = client;
    this.#fresh = fresh;
    this.#read = readOnce((object) => readSet(object, defaults));
  }

  get(key: NamespacedName): ResourceSet | undefined {
    const object = this.#fresh.get(key);
    return object && this.#read(object);
  }

  inNamespace(namespace: string): readonly ResourceSet[] {
    return this.#fresh.list(namespace).map(this.#read);
  }

  async setFinalizers(set: ResourceSet, finalizers: readonly string[], signal: AbortSignal): Promise<void> {
    const { resourceVersion } = set;
    const list = finalizers.length === 0 ? null : finalizers;
    await this.#patch(set, { metadata: { resourceVersion, finalizers: list } }, undefined, signal);
  }

  async writeStatus(set: ResourceSet, status: SetStatus, signal: AbortSignal): Promise<void> {
    const { resourceVersion } = set;
    const { observedGeneration, conditions, legacyConditions } = status;
    const legacy = legacyConditions.length === 0 ? {} : { deprecated: { v1beta1: { conditions: legacyConditions } } };
    const none = set.status.legacyConditions.length > 0 ? { deprecated: null } : {};
    const patch = {
      metadata: { resourceVersion },
      status: {
        ...(observedGeneration !== undefined && { observedGeneration }),
        conditions,
        ...(legacyConditions.length === 0 ? none : legacy),
      },
    };
    await this.#patch(set, patch, 'status', signal);
  }

  async #patch(set: ResourceSet, patch: object, subresource: 'status' | undefined, signal: AbortSignal): Promise<void> {
    const { namespace, name } = set;
    const ref = { resource: SETS, namespace, name };
    const options = { fieldManager: FIELD_MANAGER, ...(subresource && { subresource }) };
    const target = { apiVersion: '', kind: '', metadata: { namespace, name } };
    await writeFresh(this.#fresh, target, () =>
      this.#client.patch<SetObject>(ref, { type: 'merge', patch }, options, signal),
    );
  }
}

function readSet({ metadata, spec = {}, status = {} }: SetObject, defaults: SetOptions): ResourceSet {
  const { annotations = {} } = metadata;
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    generation: metadata.generation ?? 1,
    finalizers: metadata.finalizers ?? [],
    isDeleting: metadata.deletionTimestamp !== undefined,
    isPaused: Object.hasOwn(annotations, PAUSED_ANNOTATION),
    selector: spec.clusterSelector ?? {},
    strategy: spec.strategy ?? '',
    resources: spec.resources ?? [],
    options: setOptions(annotations, defaults),
    status: {
      ...(status.observedGeneration !== undefined && { observedGeneration: status.observedGeneration }),
      conditions: status.conditions ?? [],
      legacyConditions: status.deprecated?.v1beta1?.conditions ?? [],
    },
  };
}
