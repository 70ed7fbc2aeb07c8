import { isKubeError, type KubeClient, type KubeError, type KubeObject, type ObjectRef, type Status } from '#kit/kube';
import { type JsonObject, maskValues, textsIn } from '#kit/std';
import type { WorkloadApi, Written } from '../application/ports.ts';
import { CrsError } from '../domain/crs-error.ts';
import { describeObject, identityOf } from '../domain/describe-object.ts';
import type { InventoryItem } from '../domain/inventory.ts';
import type { ManifestObject } from '../domain/manifest.ts';
import { replacement } from '../domain/merge-patch.ts';
import { FIELD_MANAGER } from './management-write.ts';

/**
 * These answers mean that the server is reachable and refused. Any other error means that the cluster cannot be used
 * now.
 */
const REFUSALS = [
  'BAD_REQUEST',
  'FORBIDDEN',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'ALREADY_EXISTS',
  'CONFLICT',
  'INVALID',
  'REQUEST_TOO_LARGE',
  'NOT_ACCEPTABLE',
  'UNSUPPORTED_MEDIA_TYPE',
  'SERVER_ERROR',
] as const;

/** Unknown or duplicate fields in a manifest are warnings, as for Cluster API: manifests may be older than clusters. */
const OPTIONS = { fieldManager: FIELD_MANAGER, fieldValidation: 'Warn' } as const;

export class KubeWorkloadApi implements WorkloadApi {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async get(object: ManifestObject, signal: AbortSignal): Promise<JsonObject | undefined> {
    return await told('reading', object, async () => {
      try {
        const live = await this.#client.get(await this.#refOf(object, signal), signal);
        return live as unknown as JsonObject;
      } catch (error) {
        if (isKubeError(error, 'NOT_FOUND')) return undefined;
        throw error;
      }
    });
  }

  async create(object: ManifestObject, signal: AbortSignal): Promise<Written | undefined> {
    return await told('creating', object, async () => {
      try {
        const ref = await this.#refOf(object, signal);
        return writtenOf(await this.#client.create(ref, asObject(object), OPTIONS, signal));
      } catch (error) {
        if (isKubeError(error, 'ALREADY_EXISTS')) return undefined;
        throw error;
      }
    });
  }

  async patch(object: ManifestObject, patch: JsonObject, signal: AbortSignal): Promise<Written> {
    return await told('patching', object, async () => {
      const ref = await this.#refOf(object, signal);
      return writtenOf(await this.#client.patch(ref, { type: 'merge', patch }, OPTIONS, signal));
    });
  }

  /** Forced, because with this strategy the manifest decides. */
  async apply(object: ManifestObject, signal: AbortSignal): Promise<Written> {
    return await told('applying', object, async () => {
      const ref = await this.#refOf(object, signal);
      return writtenOf(await this.#client.apply(ref, object, { ...OPTIONS, force: true }, signal));
    });
  }

  /** Any refusal returns undefined: the read and patch that follow report it in the expected wording. */
  async replace(object: ManifestObject, resourceVersion: string, signal: AbortSignal): Promise<Written | undefined> {
    return await told('replacing', object, async () => {
      try {
        const ref = await this.#refOf(object, signal);
        const next = asObject(replacement(object, resourceVersion));
        return writtenOf(await this.#client.replace(ref, next, OPTIONS, signal));
      } catch (error) {
        if (isKubeError(error, 'KIND_NOT_SERVED', ...REFUSALS)) return undefined;
        throw error;
      }
    });
  }

  async delete(item: InventoryItem & { readonly uid: string }, signal: AbortSignal): Promise<void> {
    const { apiVersion, kind, uid, namespace, name } = item;
    const object = { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } };
    await told('deleting', object, async () => {
      try {
        await this.#client.delete(await this.#refOf(object, signal), { uid, propagation: 'Background' }, signal);
      } catch (error) {
        // A conflict is about the uid: our object is gone.
        if (!isKubeError(error, 'NOT_FOUND', 'CONFLICT', 'KIND_NOT_SERVED')) throw error;
      }
    });
  }

  async #refOf(object: ManifestObject, signal: AbortSignal): Promise<ObjectRef> {
    const { apiVersion, kind, namespace, name } = identityOf(object);
    if (apiVersion === '' || kind === '') throw new CrsError('OBJECT_NOT_APPLIED', 'it has no apiVersion or no kind');
    if (name === '') throw new CrsError('OBJECT_NOT_APPLIED', 'it has no name');
    const resource = await this.#client.discovery.resourceFor(apiVersion, kind, signal);
    if (!resource.namespaced) return { resource, name };
    if (namespace === undefined) {
      throw new CrsError('OBJECT_NOT_APPLIED', 'it has no namespace, and its kind is in namespaces');
    }
    return { resource, namespace, name };
  }
}

/** Converts errors to the wording of Cluster API and of the server. */
async function told<T>(doing: string, object: ManifestObject, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isKubeError(error, 'KIND_NOT_SERVED')) {
      const { apiVersion, kind } = identityOf(object);
      const why = `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`;
      throw refusal(doing, object, { cause: error, why });
    }
    if (isKubeError(error)) {
      const why = wordsOf(error, object);
      // The original error quotes the server's message, so for a Secret it is not passed on as cause.
      const cause = isSecret(object) ? {} : { cause: error };
      if (isKubeError(error, ...REFUSALS)) throw refusal(doing, object, { why, ...cause });
      throw new CrsError('CLUSTER_UNREACHABLE', why, cause);
    }
    if (error instanceof CrsError) throw refusal(doing, object, { cause: error, why: error.message });
    throw error;
  }
}

function refusal(doing: string, object: ManifestObject, { why, ...cause }: { why: string; cause?: unknown }): CrsError {
  return new CrsError('OBJECT_NOT_APPLIED', `${doing} object ${describeObject(object)}: ${why}`, cause);
}

/** A server may quote what it refuses; values of a Secret are masked. */
function wordsOf({ message, details }: KubeError, object: ManifestObject): string {
  const words = (details['status'] as Status | undefined)?.message ?? message;
  return isSecret(object) ? maskValues(textsIn([object['data'], object['stringData']]))(words) : words;
}

function isSecret(object: ManifestObject): boolean {
  const { apiVersion, kind } = identityOf(object);
  return apiVersion === 'v1' && kind === 'Secret';
}

function writtenOf(object: KubeObject): Written {
  const { uid = '', resourceVersion = '' } = object.metadata;
  return { uid, resourceVersion, hasStatus: Object.hasOwn(object, 'status') };
}

/** The server validates the contents of a manifest. */
function asObject(object: ManifestObject): KubeObject {
  return object as unknown as KubeObject;
}
