import { isKubeError, type KubeClient, type ObjectRef, type Status } from '#kit/kube';
import type { ApplyOptions, ClusterApi, WriteAnswer } from '../application/ports.ts';
import { FIELD_MANAGER, type KubeObject, keyOf, type ObjectKey } from '../domain/kube-object.ts';

const REFUSALS = [
  'BAD_REQUEST',
  'FORBIDDEN',
  'CONFLICT',
  'INVALID',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TOO_LARGE',
] as const;

/** A cluster behind one client. */
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
      const ref = await this.#refOf(keyOf(object), signal);
      const options = { fieldManager: FIELD_MANAGER, force, dryRun };
      return { kind: 'done', object: await this.#client.apply(ref, object, options, signal) };
    } catch (error) {
      // A path that is not found is a namespace that is not there, or a kind that was served a moment ago.
      if (isKubeError(error, 'KIND_NOT_SERVED', 'NOT_FOUND')) return { kind: 'notYet', message: error.message };
      if (!isKubeError(error, ...REFUSALS)) throw error;
      // Others than API servers may answer without a status; the message is then all that there is.
      return { kind: 'refused', status: (error.details['status'] as Status | undefined) ?? { message: error.message } };
    }
  }

  async delete(key: ObjectKey, uid: string, signal: AbortSignal): Promise<KubeObject | undefined> {
    try {
      const ref = await this.#refOf(key, signal);
      return await this.#client.delete(ref, { uid, propagation: 'Foreground' }, signal);
    } catch (error) {
      // A conflict is about the uid: the one that was meant is gone.
      if (isKubeError(error, 'NOT_FOUND', 'KIND_NOT_SERVED', 'CONFLICT')) return undefined;
      throw error;
    }
  }

  async #refOf({ apiVersion, kind, namespace, name }: ObjectKey, signal: AbortSignal): Promise<ObjectRef> {
    const resource = await this.#client.discovery.resourceFor(apiVersion, kind, signal);
    return { resource, name, ...(namespace === undefined ? {} : { namespace }) };
  }
}
