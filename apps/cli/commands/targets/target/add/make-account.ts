import { CORE, createKubeClient, type KubeClient, type KubeConfig, type KubeObject } from '#kit/kube';
import { Secret, sleep } from '#kit/std';
import { ClientError } from '../../../../client/client-error.ts';
import { clusterError } from './check-cluster.ts';

const NAMESPACE = 'fleetshift-system';
const NAME = 'fleetshift-platform';
const TOKEN = 'fleetshift-platform-token';
const APPLIED = { fieldManager: 'fleetshift-cli', force: true } as const;
const TOKEN_MS = 30_000;
const LOOK_MS = 250;

interface TokenSecret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * Creates a service account for the platform, with the rights of the caller, and returns its credentials for the
 * cluster. Idempotent.
 */
export async function makeAccount(config: KubeConfig, clusterRole: string, signal: AbortSignal): Promise<KubeConfig> {
  const client = createKubeClient({ config, userAgent: 'fleetshift' });
  try {
    await applyAccount(client, clusterRole, signal);
    const token = await untilToken(client, AbortSignal.any([signal, AbortSignal.timeout(TOKEN_MS)]));
    const { impersonate: _, ...rest } = config;
    return { ...rest, identity: { token: { kind: 'text', text: token } } };
  } catch (error) {
    signal.throwIfAborted();
    throw clusterError(error);
  } finally {
    await client.close();
  }
}

async function applyAccount(client: KubeClient, clusterRole: string, signal: AbortSignal): Promise<void> {
  const labels = { 'app.kubernetes.io/managed-by': 'fleetshift' };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  await client.apply({ resource: CORE.namespaces, name: NAMESPACE }, namespace, APPLIED, signal);
  const within = { namespace: NAMESPACE };
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, ...within, labels } };
  await client.apply({ resource: CORE.serviceAccounts, ...within, name: NAME }, account, APPLIED, signal);
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: NAME, labels },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: clusterRole },
    subjects: [{ kind: 'ServiceAccount', name: NAME, ...within }],
  };
  await client.apply({ resource: CORE.clusterRoleBindings, name: NAME }, binding, APPLIED, signal);
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: TOKEN, ...within, labels, annotations: { 'kubernetes.io/service-account.name': NAME } },
    type: 'kubernetes.io/service-account-token',
  };
  await client.apply({ resource: CORE.secrets, ...within, name: TOKEN }, secret, APPLIED, signal);
}

/** The cluster fills it in. */
async function untilToken(client: KubeClient, signal: AbortSignal): Promise<Secret<string>> {
  const ref = { resource: CORE.secrets, namespace: NAMESPACE, name: TOKEN };
  for (;;) {
    const { data } = await client.get<TokenSecret>(ref, signal);
    const token = data?.['token'];
    if (token !== undefined) return new Secret(Buffer.from(token, 'base64').toString('utf8'));
    await sleep(LOOK_MS, signal).catch(() => {
      throw new ClientError('SERVER_UNREACHABLE', `the cluster does not fill in the Secret ${NAMESPACE}/${TOKEN}`);
    });
  }
}
