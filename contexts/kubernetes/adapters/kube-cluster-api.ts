import { isKubeError, type KubeClient, type KubeError, type ObjectRef, type Status } from '#kit/kube';
import type { ApplyOptions, ClusterApi, MeantObject, WriteAnswer } from '../application/ports.ts';
import type { ApiStatus } from '../domain/api-status.ts';
import { hasDependents } from '../domain/apply-waves.ts';
import { FIELD_MANAGER, type KubeObject, keyOf, type ObjectKey } from '../domain/kube-object.ts';

const REFUSALS = [
  'BAD_REQUEST',
  'FORBIDDEN',
  'CONFLICT',
  'INVALID',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TOO_LARGE',
] as const;

/** A cluster accessed through one client. */
export class KubeClusterApi implements ClusterApi {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async get(key: ObjectKey, signal: AbortSignal): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get(await this.#refOf(key, signal), signal);
    } catch (error) {
      if (isKubeError(error, 'NOT_FOUND', 'KIND_NOT_SERVED')) return undefined;
      throw error;
    }
  }

  async apply(object: KubeObject, { force, dryRun }: ApplyOptions, signal: AbortSignal): Promise<WriteAnswer> {
    try {
      const ref = await this.#refAnew(keyOf(object), signal);
      const options = { fieldManager: FIELD_MANAGER, force, dryRun };
      return { kind: 'done', object: await this.#client.apply(ref, object, options, signal) };
    } catch (error) {
      // The namespace does not exist, or the kind is no longer served.
      if (isKubeError(error, 'KIND_NOT_SERVED', 'NOT_FOUND')) return { kind: 'notYet', message: error.message };
      if (!isKubeError(error, ...REFUSALS) && !isSchemaFault(error)) throw error;
      // Proxies in between may answer without a status; then only the message is available.
      const status: ApiStatus = (error.details['status'] as Status | undefined) ?? { message: error.message };
      return isTerminating(status) ? { kind: 'notYet', message: error.message } : { kind: 'refused', status };
    }
  }

  async delete(
    key: ObjectKey,
    { uid, resourceVersion }: MeantObject,
    signal: AbortSignal,
  ): Promise<KubeObject | 'changed' | undefined> {
    try {
      const ref = await this.#refOf(key, signal);
      const propagation = hasDependents(key) ? 'Foreground' : 'Background';
      const version = resourceVersion === undefined ? {} : { resourceVersion };
      return await this.#client.delete(ref, { uid, ...version, propagation }, signal);
    } catch (error) {
      if (isKubeError(error, 'NOT_FOUND', 'KIND_NOT_SERVED')) return undefined;
      if (!isKubeError(error, 'CONFLICT')) throw error;
      // Without a version, a conflict is about the uid: the intended object is gone.
      const live = resourceVersion === undefined ? undefined : await this.get(key, signal);
      return live?.metadata.uid === uid ? 'changed' : undefined;
    }
  }

  /** The definition may have been applied a moment ago with the same order. */
  async #refAnew(key: ObjectKey, signal: AbortSignal): Promise<ObjectRef> {
    try {
      return await this.#refOf(key, signal);
    } catch (error) {
      if (!isKubeError(error, 'KIND_NOT_SERVED')) throw error;
      this.#client.discovery.forget();
      return await this.#refOf(key, signal);
    }
  }

  async #refOf({ apiVersion, kind, namespace, name }: ObjectKey, signal: AbortSignal): Promise<ObjectRef> {
    const resource = await this.#client.discovery.resourceFor(apiVersion, kind, signal);
    return { resource, name, ...(namespace === undefined ? {} : { namespace }) };
  }
}

/**
 * For a field that the schema does not have, API servers return an internal error without a reason, because they fail
 * before validating the object. Retrying gives the same result.
 */
function isSchemaFault(error: unknown): error is KubeError {
  return isKubeError(error, 'SERVER_ERROR') && /failed to create typed patch object/.test(error.message);
}

/** Its namespace is being deleted. The write can succeed later, in a new namespace of that name. */
function isTerminating({ details }: ApiStatus): boolean {
  return details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
}
