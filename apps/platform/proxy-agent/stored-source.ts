import type { ProxiedClusters } from '#contexts/proxied-clusters/adapters';
import { type Environment, type KubeConfig, parseKubeConfig } from '#kit/kube';
import type { ClusterSource } from '#runtime/cluster-agent/clusters/cluster-source';

export interface StoredSourceDeps {
  readonly clusters: Pick<ProxiedClusters, 'kubeconfig'>;
  /** The uid of the target. */
  readonly target: string;
  /** For proxy settings. */
  readonly environment: Environment;
}

/** A kubeconfig stored with the platform. It is opened once, and again when it was changed. */
export class StoredSource implements ClusterSource {
  readonly #deps: StoredSourceDeps;
  readonly #listeners = new Set<() => void>();
  #config: KubeConfig | undefined;

  constructor(deps: StoredSourceDeps) {
    this.#deps = deps;
  }

  async read(signal: AbortSignal): Promise<KubeConfig> {
    if (this.#config !== undefined) return this.#config;
    const { clusters, target, environment } = this.#deps;
    const stored = await clusters.kubeconfig(target, signal);
    if (stored === undefined) throw new Error('its kubeconfig was deleted');
    this.#config = parseKubeConfig(stored.text.reveal(), { environment });
    return this.#config;
  }

  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  replaced(): void {
    this.#config = undefined;
    for (const listener of this.#listeners) listener();
  }
}
