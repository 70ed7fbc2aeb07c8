import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KubeError } from '../kube-error.ts';
import type { Environment, KubeConfig } from './kube-config.ts';

export interface InClusterOptions {
  readonly environment: Environment;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The API server of the cluster that this Pod runs in, with its service account. The kubelet renews the token; the file
 * is read again.
 *
 * DECISION: `SERVICE_ACCOUNT_FOLDER` overrides the mount path of the service account: for Pods that mount a projected
 * token elsewhere, and for processes without a file system of their own, as in tests. The environment already
 * determines the server, so this grants no additional access.
 */
export async function inClusterConfig(options: InClusterOptions, signal: AbortSignal): Promise<KubeConfig> {
  const {
    KUBERNETES_SERVICE_HOST: host,
    KUBERNETES_SERVICE_PORT: port = '443',
    SERVICE_ACCOUNT_FOLDER: folder = SERVICE_ACCOUNT,
  } = options.environment;
  if (!host)
    throw new KubeError('CONFIG_NOT_FOUND', 'find the API server of this Pod: KUBERNETES_SERVICE_HOST is not set');
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}/`,
    namespace: await readNamespace(folder, signal),
    ca: { kind: 'file', path: join(folder, 'ca.crt') },
    identity: { token: { kind: 'file', path: join(folder, 'token') } },
  };
}

async function readNamespace(folder: string, signal: AbortSignal): Promise<string> {
  try {
    return (await readFile(join(folder, 'namespace'), { encoding: 'utf8', signal })).trim();
  } catch (error) {
    signal.throwIfAborted();
    throw new KubeError('CONFIG_NOT_FOUND', `read the service account of this Pod in ${folder}`, { cause: error });
  }
}
