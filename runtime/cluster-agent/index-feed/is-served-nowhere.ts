import { isKubeError, type KubeClient, type KubeObject, type Resource } from '#kit/kube';

const API_SERVICES: Resource = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  plural: 'apiservices',
  kind: 'APIService',
  namespaced: false,
};

interface ApiService extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/**
 * Whether a kind that discovery does not list certainly does not exist, and so has no objects. While an aggregated API
 * server is down, discovery does not list its group.
 */
export async function isServedNowhere(
  client: Pick<KubeClient, 'get'>,
  { apiVersion }: { readonly apiVersion: string },
  signal: AbortSignal,
): Promise<boolean> {
  const [group, version] = apiVersion.split('/');
  if (group === undefined || version === undefined) return false;
  try {
    const name = `${version}.${group}`;
    const { status } = await client.get<ApiService>({ resource: API_SERVICES, name }, signal);
    return status?.conditions?.some((each) => each.type === 'Available' && each.status === 'True') ?? false;
  } catch (error) {
    if (isKubeError(error, 'NOT_FOUND')) return true;
    signal.throwIfAborted();
    // Without the right to read it, the answer is unknown.
    return false;
  }
}
