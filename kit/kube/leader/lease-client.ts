import { CORE } from '../client/core-resources.ts';
import type { KubeClient, ObjectRef } from '../client/kube-client.ts';
import { isKubeError } from '../kube-error.ts';
import { LeaderError } from './leader-error.ts';
import type { Lease, LeaseSpec } from './lease.ts';

export interface LeaseClientOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
}

/** Reads and writes one lease. Each write is refused unless the lease is unchanged since it was read. */
export class LeaseClient {
  readonly #client: KubeClient;
  readonly #ref: ObjectRef & { readonly namespace: string };

  constructor({ client, namespace, name }: LeaseClientOptions) {
    this.#client = client;
    this.#ref = { resource: CORE.leases, namespace, name };
  }

  async get(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#client.get<Lease>(this.#ref, signal);
    } catch (error) {
      if (isKubeError(error, 'NOT_FOUND')) return undefined;
      throw error;
    }
  }

  /** Replaces the lease that was read, or creates a missing one. Throws `LEASE_TAKEN` if another process was faster. */
  async write(before: Lease | undefined, spec: LeaseSpec, signal: AbortSignal): Promise<Lease> {
    const { namespace, name } = this.#ref;
    try {
      if (before) return await this.#client.replace<Lease>(this.#ref, { ...before, spec }, {}, signal);
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name }, spec };
      return await this.#client.create<Lease>(this.#ref, lease, {}, signal);
    } catch (error) {
      if (!isKubeError(error, 'CONFLICT', 'ALREADY_EXISTS', 'NOT_FOUND')) throw error;
      throw new LeaderError('LEASE_TAKEN', `write the lease ${namespace}/${name}`, { cause: error });
    }
  }
}
