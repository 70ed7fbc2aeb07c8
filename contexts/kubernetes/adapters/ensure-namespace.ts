import { CORE, isKubeError, type KubeClient } from '#kit/kube';

/** Reads first: an agent may be allowed to read its namespace but not to create namespaces. */
export async function ensureNamespace(client: KubeClient, name: string, signal: AbortSignal): Promise<void> {
  try {
    await client.get({ resource: CORE.namespaces, name }, signal);
    return;
  } catch (error) {
    if (!isKubeError(error, 'NOT_FOUND')) throw error;
  }
  try {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await client.create({ resource: CORE.namespaces }, namespace, {}, signal);
  } catch (error) {
    if (!isKubeError(error, 'ALREADY_EXISTS')) throw error;
  }
}
