import { CORE, type KubeClient } from '#kit/kube';
import type { Discovery } from '../application/ports.ts';
import type { Scope } from '../domain/desired-objects.ts';

type Served = Awaited<ReturnType<KubeClient['discovery']['resources']>>;

export class KubeDiscovery implements Discovery {
  readonly #client: KubeClient;
  /** Valid as long as the client returns the same list. */
  #known: { readonly resources: Served; readonly scopes: ReadonlyMap<string, Scope> } | undefined;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async scopes({ fresh }: { readonly fresh: boolean }, signal: AbortSignal): Promise<ReadonlyMap<string, Scope>> {
    if (fresh) this.#client.discovery.forget();
    const resources = await this.#client.discovery.resources(signal);
    if (this.#known?.resources !== resources) this.#known = { resources, scopes: scopesOf(resources) };
    return this.#known.scopes;
  }

  /** The uid of the namespace `kube-system`: it is unique, and every cluster has it. */
  async instance(signal: AbortSignal): Promise<string> {
    const { metadata } = await this.#client.get({ resource: CORE.namespaces, name: 'kube-system' }, signal);
    return metadata.uid ?? '';
  }
}

function scopesOf(resources: Served): ReadonlyMap<string, Scope> {
  return new Map(
    resources.map(({ group, version, kind, namespaced }) => [
      `${group === '' ? '' : `${group}/`}${version}/${kind}`,
      namespaced ? 'namespaced' : 'cluster',
    ]),
  );
}
