import { BINDINGS, CLUSTERS, SETS } from '#contexts/cluster-resource-sets/adapters';
import { createKubeClient, isKubeError, type KubeClient, loadKubeConfig, type RequestReport } from '#kit/kube';
import type { CrsConfig } from './config.ts';
import { CrsProcessError } from './crs-process-error.ts';

export interface ManagementCluster {
  readonly client: KubeClient;
  /** Namespace of the lease and the certificate. */
  readonly home: string;
}

export interface ManagementOptions {
  readonly config: CrsConfig;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly userAgent: string;
  readonly observe: (report: RequestReport) => void;
}

const KINDS = [SETS, BINDINGS, CLUSTERS];

/** Opens a client of the management cluster, and checks that it serves the required kinds. */
export async function openManagement(options: ManagementOptions, signal: AbortSignal): Promise<ManagementCluster> {
  const { config, environment, userAgent, observe } = options;
  const { kubeconfig: file, kubeContext: context, leaderElectNamespace } = config;
  const kubeConfig = await loadKubeConfig({ environment, ...(file && { file }), ...(context && { context }) }, signal);
  const client = createKubeClient({ config: kubeConfig, userAgent, observe });
  try {
    await assertDefinitions(client, signal);
  } catch (error) {
    await client.close();
    throw error;
  }
  return { client, home: leaderElectNamespace ?? kubeConfig.namespace };
}

/** Fails at once with a clear message; the caches would wait for the kinds. */
async function assertDefinitions(client: KubeClient, signal: AbortSignal): Promise<void> {
  for (const { group, version, kind, plural } of KINDS) {
    try {
      await client.discovery.resourceFor(`${group}/${version}`, kind, signal);
    } catch (cause) {
      if (!isKubeError(cause, 'KIND_NOT_SERVED')) throw cause;
      throw new CrsProcessError(
        'DEFINITIONS_MISSING',
        `manage ClusterResourceSets: the management cluster does not serve ${plural}.${group}/${version}; install the definitions of Cluster API v1.11 or newer, such as with "clusterctl init"`,
        { cause },
      );
    }
  }
}
