import { CORE, isKubeError, type KubeClient, type KubeObject } from '#kit/kube';
import { FIELD_MANAGER } from '../domain/kube-object.ts';

const NAME = 'fleetshift-cluster-identity';

interface IdentitySecret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * Identifies the installation: by the uid of the namespace `kube-system`, which every cluster has and keeps for life. A
 * copy of a cluster has the same one, so it may have been issued an id of its own, which then counts. That id is valid
 * for the uid that it was issued for: copied into another cluster with its namespace, it means nothing.
 */
export async function clusterIdentity(client: KubeClient, namespace: string, signal: AbortSignal): Promise<string> {
  const [uid, issued] = await Promise.all([clusterUid(client, signal), issuedIdentity(client, namespace, signal)]);
  return issued !== undefined && issued.uid === uid && issued.id !== '' ? issued.id : uid;
}

/** From now on the cluster has this identity. */
export async function storeIdentity(
  client: KubeClient,
  { namespace, id }: { readonly namespace: string; readonly id: string },
  signal: AbortSignal,
): Promise<void> {
  const uid = await clusterUid(client, signal);
  const data = { uid: encoded(uid), id: encoded(id) };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: NAME, namespace }, data };
  const ref = { resource: CORE.secrets, namespace, name: NAME };
  await client.apply(ref, secret, { fieldManager: FIELD_MANAGER, force: true }, signal);
}

async function clusterUid(client: KubeClient, signal: AbortSignal): Promise<string> {
  const { metadata } = await client.get({ resource: CORE.namespaces, name: 'kube-system' }, signal);
  return metadata.uid ?? '';
}

async function issuedIdentity(
  client: KubeClient,
  namespace: string,
  signal: AbortSignal,
): Promise<{ readonly uid: string; readonly id: string } | undefined> {
  try {
    const { data } = await client.get<IdentitySecret>({ resource: CORE.secrets, namespace, name: NAME }, signal);
    return { uid: decoded(data?.['uid']), id: decoded(data?.['id']) };
  } catch (error) {
    if (isKubeError(error, 'NOT_FOUND', 'FORBIDDEN')) return undefined;
    throw error;
  }
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

function decoded(text = ''): string {
  return Buffer.from(text, 'base64').toString();
}
