import { CORE, type KubeClient } from '#kit/kube';
import type { Discovery } from '../application/ports.ts';
import type { Scope } from '../domain/wanted-objects.ts';

/** What a cluster serves. */
export class KubeDiscovery implements Discovery {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async scopes({ fresh }: { readonly fresh: boolean }, signal: AbortSignal): Promise<ReadonlyMap<string, Scope>> {
    if (fresh) this.#client.discovery.forget();
    const resources = await this.#client.discovery.resources(signal);
    return new Map(
      resources.map(({ group, version, kind, namespaced }) => [
        `${group === '' ? '' : `${group}/`}${version}/${kind}`,
        namespaced ? 'namespaced' : 'cluster',
      ]),
    );
  }

  /** The uid of the namespace `kube-system`, which no cluster shares with another and none lives without. */
  async instance(signal: AbortSignal): Promise<string> {
    const { metadata } = await this.#client.get({ resource: CORE.namespaces, name: 'kube-system' }, signal);
    return metadata.uid ?? '';
  }
}
