import { CORE, createKubeClient, type KubeClient, type KubeConfig, KubeError, loadKubeConfig } from '#kit/kube';
import type { ErrorCategory } from '#kit/std';
import { ClientError, type ClientErrorCode } from '../../../../client/client-error.ts';

/** A reachable cluster, as seen with the caller's credentials. */
export interface CheckedCluster {
  readonly context: string;
  readonly config: KubeConfig;
  readonly version: string;
  /** The uid of `kube-system`, which identifies a cluster. */
  readonly instance: string;
  /** Whether the credentials are cluster-admin. */
  readonly isAdmin: boolean;
}

export interface WantedCluster {
  readonly context: string;
  readonly kubeconfig: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether the platform gets a service account instead of these credentials. */
  readonly makesAccount: boolean;
}

const CHECK_MS = 20_000;
const NAMESPACE = 'fleetshift-system';

/** The permissions that every agent needs. */
const NEEDED = [
  { verb: 'get', resource: 'namespaces', name: 'kube-system' },
  { verb: 'create', resource: 'secrets', namespace: NAMESPACE },
  { verb: 'list', resource: 'secrets', namespace: NAMESPACE },
] as const;
const EVERYTHING = { verb: '*', group: '*', resource: '*' };

/** Throws an error with a message for the caller. */
export async function checkCluster(wanted: WantedCluster, signal: AbortSignal): Promise<CheckedCluster> {
  const { context, kubeconfig: file, environment, makesAccount } = wanted;
  const within = AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS)]);
  try {
    const config = await loadKubeConfig({ environment, context, ...(file !== undefined && { file }) }, within);
    if (!makesAccount) refuseProgram(config);
    const client = createKubeClient({ config, userAgent: 'fleetshift' });
    try {
      const { gitVersion: version = '' } = await client.request<{ gitVersion?: string }>(
        { method: 'GET', path: '/version' },
        within,
      );
      const { metadata } = await client.get({ resource: CORE.namespaces, name: 'kube-system' }, within);
      const isAdmin = await mayDo(client, EVERYTHING, within);
      if (!isAdmin && !makesAccount) await checkNeeded(client, within);
      return { context, config, version, instance: metadata.uid ?? '', isAdmin };
    } finally {
      await client.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw clusterError(error);
  }
}

/** The platform cannot run a credential plugin of this machine. */
function refuseProgram({ identity }: KubeConfig): void {
  const { exec } = identity;
  if (exec === undefined) return;
  throw new ClientError(
    'REQUEST_INVALID',
    `its credentials come from a program (${exec.command}), which the platform cannot run; add --service-account to create a service account for the platform in the cluster`,
  );
}

async function checkNeeded(client: KubeClient, signal: AbortSignal): Promise<void> {
  const answers = await Promise.all(NEEDED.map((right) => mayDo(client, right, signal)));
  const missing = NEEDED.filter((_, index) => answers[index] === false);
  if (missing.length === 0) return;
  const list = missing.map(({ verb, resource }) => `${verb} ${resource}`).join(', ');
  throw new ClientError(
    'PERMISSION_DENIED',
    `these credentials may not ${list}, which every agent needs: it stores its state in the namespace ${NAMESPACE}`,
  );
}

async function mayDo(client: KubeClient, right: object, signal: AbortSignal): Promise<boolean> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: right },
  };
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const { status } = await client.request<{ status?: { allowed?: boolean } }>({ method: 'POST', path, body }, signal);
  return status?.allowed === true;
}

const CODES: Partial<Readonly<Record<ErrorCategory, ClientErrorCode>>> = {
  unavailable: 'SERVER_UNREACHABLE',
  timeout: 'SERVER_UNREACHABLE',
  exhausted: 'SERVER_BUSY',
  unauthenticated: 'NOT_AUTHENTICATED',
  forbidden: 'PERMISSION_DENIED',
  'not-found': 'NOT_FOUND',
};

/** Maps the error to an exit code. */
export function clusterError(error: unknown): unknown {
  if (isTimeout(error)) {
    return new ClientError('SERVER_UNREACHABLE', 'the cluster does not answer', { cause: error });
  }
  if (!(error instanceof KubeError)) return error;
  const code = error.code === 'CERTIFICATE_REFUSED' ? 'SERVER_NOT_TRUSTED' : CODES[error.entry.category];
  return new ClientError(code ?? 'REQUEST_INVALID', withCause(error), { cause: error });
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

function withCause({ message, cause }: Error): string {
  return cause instanceof Error && !message.includes(cause.message) ? `${message}: ${withCause(cause)}` : message;
}
