import { roleBindings } from '#contexts/api-proxy';
import { CORE, createKubeClient, isKubeError, type KubeConfig } from '#kit/kube';
import { clusterError } from './check-cluster.ts';

const APPLIED = { fieldManager: 'fleetshift-cli', force: true } as const;

/**
 * Binds the roles of the platform in the cluster, with the rights of the caller, so that they apply to kubectl through
 * the platform. Returns false when the caller may not do that. Idempotent.
 */
export async function bindRoles(config: KubeConfig, signal: AbortSignal): Promise<boolean> {
  const client = createKubeClient({ config, userAgent: 'fleetshift' });
  try {
    for (const binding of roleBindings()) {
      const ref = { resource: CORE.clusterRoleBindings, name: binding.metadata.name };
      await client.apply(ref, binding, APPLIED, signal);
    }
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (isKubeError(error, 'FORBIDDEN')) return false;
    throw clusterError(error);
  } finally {
    await client.close();
  }
}
