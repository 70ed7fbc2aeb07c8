import type { OwnPlace, ServedCluster } from '#contexts/kubernetes';
import { openCluster } from '#contexts/kubernetes/adapters';
import { CORE, createKubeClient, type KubeClient, type KubeConfig, type RequestReport } from '#kit/kube';
import type { Logger } from '#kit/telemetry';
import type { DialGuard } from '#kit/transport/dial';
import { type ClusterFacts, clusterFacts } from './cluster-facts.ts';

/** A reachable cluster, and everything needed to serve it. */
export interface ConnectedCluster {
  readonly config: KubeConfig;
  /** Restricts the addresses that may be dialled for it. */
  readonly guard: DialGuard | undefined;
  readonly kube: KubeClient;
  readonly ports: Omit<ServedCluster, 'target'>;
  /** Sends a request, which also checks that the cluster is reachable. */
  look(signal: AbortSignal): Promise<Sight>;
  facts(signal: AbortSignal): Promise<ClusterFacts>;
  close(): Promise<void>;
}

export interface Sight {
  /** Identity of the installation: the uid of `kube-system`. */
  readonly instance: string;
}

export type ConnectCluster = (config: KubeConfig, signal: AbortSignal) => Promise<ConnectedCluster>;

export interface ConnectClusterDeps {
  readonly version: string;
  /** Namespace of the agent's own records, to which nothing is delivered. */
  readonly own: OwnPlace;
  /** Used if kubeconfigs come from other users. */
  readonly guard?: DialGuard;
  readonly observe?: (report: RequestReport) => void;
  readonly log: Logger;
}

/** Resolves once the cluster has answered. */
export function clusterConnector({ version, own, guard, observe, log }: ConnectClusterDeps): ConnectCluster {
  return async (config, signal) => {
    const kube = createKubeClient({
      config,
      guard,
      userAgent: `fleetshift-agent/${version}`,
      ...(observe && { observe }),
    });
    try {
      const ports = await openCluster({ client: kube, namespace: own.namespace, own, log }, signal);
      const priority = kube.withPriority('high');
      return {
        config,
        guard,
        kube,
        ports,
        look: (stop) => look(priority, stop),
        facts: (stop) => clusterFacts(kube, stop),
        close: () => kube.close(),
      };
    } catch (error) {
      await kube.close();
      throw error;
    }
  };
}

/** Identifies the cluster that answers. */
export async function look(kube: KubeClient, signal: AbortSignal): Promise<Sight> {
  const { metadata } = await kube.get({ resource: CORE.namespaces, name: 'kube-system' }, signal);
  return { instance: metadata.uid ?? '' };
}
