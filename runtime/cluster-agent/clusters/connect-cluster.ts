import type { OwnPlace, ServedCluster } from '#contexts/kubernetes';
import { clusterIdentity, openCluster, storeIdentity } from '#contexts/kubernetes/adapters';
import { createKubeClient, type KubeClient, type KubeConfig, type RequestReport } from '#kit/kube';
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
  /** Stores an id that tells the cluster from a copy of it. It is its identity from then on. */
  issue(identity: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface Sight {
  /** Identity of the installation: the uid of `kube-system`, or the id that was issued to the cluster. */
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
        look: async (stop) => ({ instance: await clusterIdentity(priority, own.namespace, stop) }),
        facts: (stop) => clusterFacts(kube, stop),
        issue: (id, stop) => storeIdentity(kube, { namespace: own.namespace, id }, stop),
        close: () => kube.close(),
      };
    } catch (error) {
      await kube.close();
      throw error;
    }
  };
}
