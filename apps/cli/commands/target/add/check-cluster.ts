import { CORE, createKubeClient, type KubeClient, type KubeConfig, KubeError, loadKubeConfig } from '#kit/kube';
import type { ErrorCategory } from '#kit/std';
import { ClientError, type ClientErrorCode } from '../../../client/client-error.ts';

/** A cluster that answers, seen with somebody's own rights. */
export interface CheckedCluster {
  readonly context: string;
  readonly config: KubeConfig;
  readonly version: string;
  /** The uid of `kube-system`, by which a cluster is known. */
  readonly instance: string;
  /** May do everything. */
  readonly isAdmin: boolean;
}

export interface WantedCluster {
  readonly context: string;
  readonly kubeconfig: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The platform gets a service account, not these credentials. */
  readonly makesAccount: boolean;
}

const CHECK_MS = 20_000;
const NAMESPACE = 'fleetshift-system';

/** What an agent cannot do without, wherever it is. */
const NEEDED = [
  { verb: 'get', resource: 'namespaces', name: 'kube-system' },
  { verb: 'create', resource: 'secrets', namespace: NAMESPACE },
  { verb: 'list', resource: 'secrets', namespace: NAMESPACE },
] as const;
const EVERYTHING = { verb: '*', group: '*', resource: '*' };

/** Throws what is wrong, as a sentence for who asked. */
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

/** A program of this machine is of no use to a platform. */
function refuseProgram({ identity }: KubeConfig): void {
  const { exec } = identity;
  if (exec === undefined) return;
  throw new ClientError(
    'REQUEST_INVALID',
    `its credentials come from a program (${exec.command}), which the platform cannot run; add --service-account, and a service account is made in the cluster for the platform`,
  );
}

async function checkNeeded(client: KubeClient, signal: AbortSignal): Promise<void> {
  const answers = await Promise.all(NEEDED.map((right) => mayDo(client, right, signal)));
  const missing = NEEDED.filter((_, index) => answers[index] === false);
  if (missing.length === 0) return;
  const list = missing.map(({ verb, resource }) => `${verb} ${resource}`).join(', ');
  throw new ClientError(
    'PERMISSION_DENIED',
    `these credentials may not ${list}, which an agent cannot do without: it keeps what it has to remember in the namespace ${NAMESPACE}`,
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

/** With an exit code by what it is. */
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
