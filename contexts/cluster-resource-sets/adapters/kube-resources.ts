import { CORE, isKubeError, type KubeClient, type Resource } from '#kit/kube';
import type { FoundResource, ResourceContent, ResourceReading, Resources } from '../application/ports.ts';
import type { Owner } from '../domain/binding.ts';
import { CrsError } from '../domain/crs-error.ts';
import { readManifest } from '../domain/manifest.ts';
import { normaliseData } from '../domain/normalise-data.ts';
import type { ResourceRef } from '../domain/resource-set.ts';
import type { Caches, Followed } from './caches.ts';
import type { ResourceObject } from './kinds.ts';
import { FIELD_MANAGER, writeFresh } from './management-write.ts';
import { readGoYaml } from './read-go-yaml.ts';
import { RecentContents } from './recent-contents.ts';
import { hashOf, isUsable, type KeptResource, resourceTrim } from './trims.ts';

export interface KubeResourcesDeps {
  readonly client: KubeClient;
  readonly caches: Pick<Caches, 'configMaps' | 'secrets'>;
  readonly clock: { now(): number };
}

/** How long a missing Secret, or one of the wrong type, is not requested again. */
const ABSENCE_MS = 30_000;

export class KubeResources implements Resources {
  readonly #client: KubeClient;
  readonly #caches: KubeResourcesDeps['caches'];
  readonly #clock: KubeResourcesDeps['clock'];
  readonly #contents = new RecentContents();
  readonly #absent = new Map<string, { readonly until: number; readonly reading: Promise<ResourceReading> }>();

  constructor({ client, caches, clock }: KubeResourcesDeps) {
    this.#client = client;
    this.#caches = caches;
    this.#clock = clock;
  }

  peek(namespace: string, { kind, name }: ResourceRef): FoundResource | undefined {
    const kept = this.#followed(kind).fresh.get({ namespace, name });
    return kept && foundOf(kept);
  }

  async read(namespace: string, ref: ResourceRef, signal: AbortSignal): Promise<ResourceReading> {
    const { kind } = ref;
    const resource = this.peek(namespace, ref);
    if (resource === undefined)
      return kind === 'Secret' ? await this.#absence(namespace, ref, signal) : { kind: 'missing' };
    this.#absent.delete(idOf(namespace, ref));
    return { kind: 'found', resource };
  }

  async content(resource: FoundResource, signal: AbortSignal): Promise<ResourceContent> {
    const id = `${idOf(resource.namespace, resource)}@${resource.uid}/${resource.resourceVersion}`;
    return await this.#contents.get(id, () => this.#readContent(resource, signal));
  }

  async setOwners(resource: FoundResource, owners: readonly Owner[], signal: AbortSignal): Promise<void> {
    const { namespace, name, kind, resourceVersion } = resource;
    const patch = { metadata: { resourceVersion, ownerReferences: owners.length === 0 ? null : owners } };
    const { fresh } = this.#followed(kind);
    const target = { apiVersion: 'v1', kind, metadata: { namespace, name } };
    const ref = { resource: resourceOf(kind), namespace, name };
    const options = { fieldManager: FIELD_MANAGER };
    // Trimmed as in the cache. The content is unchanged, because the write required the same version.
    const trim = resourceTrim(kind, () => true);
    await writeFresh(fresh, target, async () =>
      trim(await this.#client.patch<KeptResource>(ref, { type: 'merge', patch }, options, signal)),
    );
  }

  async #readContent(resource: FoundResource, signal: AbortSignal): Promise<ResourceContent & { size: number }> {
    const { namespace, name, kind } = resource;
    const kept = this.#followed(kind).fresh.get({ namespace, name });
    const data = kept?.data ?? (await this.#get(resource, signal)).data;
    if (data === undefined) throw new CrsError('RESOURCE_UNREADABLE', `read ${kind} ${name}: its data is gone`);
    const values = normaliseData(kind, data);
    return {
      hash: hashOf(values),
      manifest: readManifest(values, readGoYaml),
      size: values.reduce((sum, { length }) => sum + length, 0),
    };
  }

  /** Finds out why a Secret is not cached: it does not exist, or has another type. */
  async #absence(namespace: string, ref: ResourceRef, signal: AbortSignal): Promise<ResourceReading> {
    const id = idOf(namespace, ref);
    const known = this.#absent.get(id);
    if (known && known.until > this.#clock.now()) return await known.reading;
    const reading = this.#look(namespace, ref, signal);
    this.#absent.set(id, { until: this.#clock.now() + ABSENCE_MS, reading });
    try {
      return await reading;
    } catch (error) {
      this.#absent.delete(id);
      throw error;
    }
  }

  async #look(namespace: string, { kind, name }: ResourceRef, signal: AbortSignal): Promise<ResourceReading> {
    try {
      const object = await this.#get({ namespace, name, kind }, signal);
      // A Secret of our type is about to arrive in the cache, which will report it.
      return isUsable(kind, object.type) ? { kind: 'missing' } : { kind: 'wrong-type' };
    } catch (error) {
      if (isKubeError(error, 'NOT_FOUND')) return { kind: 'missing' };
      throw error;
    }
  }

  async #get(
    { namespace, name, kind }: { readonly namespace: string; readonly name: string; readonly kind: string },
    signal: AbortSignal,
  ): Promise<ResourceObject> {
    return await this.#client.get<ResourceObject>({ resource: resourceOf(kind), namespace, name }, signal);
  }

  #followed(kind: string): Followed<KeptResource> {
    return kind === 'Secret' ? this.#caches.secrets : this.#caches.configMaps;
  }
}

function foundOf({ kind, metadata, hash }: KeptResource): FoundResource {
  return {
    kind,
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    owners: metadata.ownerReferences ?? [],
    hash,
  };
}

function resourceOf(kind: string): Resource {
  return kind === 'Secret' ? CORE.secrets : CORE.configMaps;
}

function idOf(namespace: string, { kind, name }: ResourceRef): string {
  return `${kind}/${namespace}/${name}`;
}
