import type { OwnPlace, ServedCluster } from '#contexts/kubernetes';
import { openCluster } from '#contexts/kubernetes/adapters';
import { CORE, createKubeClient, type KubeClient, type KubeConfig, type RequestReport } from '#kit/kube';
import type { Logger } from '#kit/telemetry';
import type { DialGuard } from '#kit/transport/dial';
import { type ClusterFacts, clusterFacts } from './cluster-facts.ts';

/** A cluster that answers, and what it takes to serve it. */
export interface ConnectedCluster {
  readonly config: KubeConfig;
  /** Which addresses may be dialled for it. */
  readonly guard: DialGuard | undefined;
  readonly kube: KubeClient;
  readonly ports: Omit<ServedCluster, 'target'>;
  /** Asks it anew, which also is how one knows that it is there. */
  look(signal: AbortSignal): Promise<Sight>;
  facts(signal: AbortSignal): Promise<ClusterFacts>;
  close(): Promise<void>;
}

export interface Sight {
  /** Of the installation: the uid of `kube-system`. */
  readonly instance: string;
}

export type ConnectCluster = (config: KubeConfig, signal: AbortSignal) => Promise<ConnectedCluster>;

export interface ConnectClusterDeps {
  readonly version: string;
  /** Where the agent keeps what it has to remember, and delivers nothing. */
  readonly own: OwnPlace;
  /** Where kubeconfigs come from others. */
  readonly guard?: DialGuard;
  readonly observe?: (report: RequestReport) => void;
  readonly log: Logger;
}

/** Resolves once it has answered. */
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

/** Which cluster it is that answers there. */
export async function look(kube: KubeClient, signal: AbortSignal): Promise<Sight> {
  const { metadata } = await kube.get({ resource: CORE.namespaces, name: 'kube-system' }, signal);
  return { instance: metadata.uid ?? '' };
}
