import type { KubeClient } from '#kit/kube';
import type { Discovery } from '../application/ports.ts';
import type { Scope } from '../domain/desired-objects.ts';
import { clusterIdentity } from './cluster-identity.ts';

type Served = Awaited<ReturnType<KubeClient['discovery']['resources']>>;

export class KubeDiscovery implements Discovery {
  readonly #client: KubeClient;
  readonly #namespace: string;
  /** Valid as long as the client returns the same list. */
  #known: { readonly resources: Served; readonly scopes: ReadonlyMap<string, Scope> } | undefined;

  /** The namespace of the agent's own records. */
  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  async scopes({ fresh }: { readonly fresh: boolean }, signal: AbortSignal): Promise<ReadonlyMap<string, Scope>> {
    if (fresh) this.#client.discovery.forget();
    const resources = await this.#client.discovery.resources(signal);
    if (this.#known?.resources !== resources) this.#known = { resources, scopes: scopesOf(resources) };
    return this.#known.scopes;
  }

  async instance(signal: AbortSignal): Promise<string> {
    return await clusterIdentity(this.#client, this.#namespace, signal);
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
