import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { KubeError } from '../kube-error.ts';
import { inClusterConfig } from './in-cluster-config.ts';
import type { Environment, KubeConfig } from './kube-config.ts';
import { type KubeconfigDocument, mergeKubeconfigs, readKubeconfig } from './kubeconfig-document.ts';
import { resolveKubeConfig, type Selection } from './resolve-kube-config.ts';

export interface LoadOptions extends Selection {
  /** This file and no other; it must be there. */
  readonly file?: string;
}

/**
 * As kubectl finds it: the named file, else those of `KUBECONFIG` merged, else `~/.kube/config`; and the service account
 * of the Pod when there is none of them.
 */
export async function loadKubeConfig(options: LoadOptions, signal: AbortSignal): Promise<KubeConfig> {
  const { file, environment } = options;
  const paths = file === undefined ? defaultPaths(environment) : [file];
  const read = await Promise.all(paths.map((path) => readDocument(resolve(path), file === undefined, signal)));
  const documents = read.filter((document) => document !== undefined);
  if (documents.length > 0) return resolveKubeConfig(mergeKubeconfigs(documents), options);
  if (environment['KUBERNETES_SERVICE_HOST']) return inClusterConfig({ environment }, signal);
  throw new KubeError('CONFIG_NOT_FOUND', `find a kubeconfig: there is none at ${paths.join(', ') || 'all'}`);
}

/** A kubeconfig out of a Secret or the like. It may not name files or programs of this machine. */
export function parseKubeConfig(text: string, options: Partial<Selection> = {}): KubeConfig {
  const document = readKubeconfig(text, { name: 'the kubeconfig', folder: undefined });
  return resolveKubeConfig(document, { environment: {}, ...options });
}

function defaultPaths(environment: Environment): string[] {
  const listed = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (listed.length > 0) return listed;
  return environment['HOME'] ? [join(environment['HOME'], '.kube', 'config')] : [];
}

async function readDocument(
  path: string,
  mayBeMissing: boolean,
  signal: AbortSignal,
): Promise<KubeconfigDocument | undefined> {
  try {
    const text = await readFile(path, { encoding: 'utf8', signal });
    return readKubeconfig(text, { name: path, folder: dirname(path) });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof KubeError) throw error;
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (missing && mayBeMissing) return undefined;
    throw new KubeError(missing ? 'CONFIG_NOT_FOUND' : 'CONFIG_INVALID', `read the kubeconfig ${path}`, {
      cause: error,
    });
  }
}
