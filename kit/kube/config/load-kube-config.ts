import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { isKubeError, KubeError } from '../kube-error.ts';
import { inClusterConfig } from './in-cluster-config.ts';
import type { Environment, KubeConfig } from './kube-config.ts';
import { type KubeconfigDocument, mergeKubeconfigs, readKubeconfig } from './kubeconfig-document.ts';
import { resolveKubeConfig, type Selection } from './resolve-kube-config.ts';

export interface LoadOptions extends Selection {
  /** Only this file; it must exist. */
  readonly file?: string;
}

/**
 * Finds the kubeconfig like kubectl: the given file, else those of `KUBECONFIG` merged, else `~/.kube/config`. If there
 * is none, uses the service account of the Pod.
 */
export async function loadKubeConfig(options: LoadOptions, signal: AbortSignal): Promise<KubeConfig> {
  const { file, environment } = options;
  const paths = file === undefined ? defaultPaths(environment) : [file];
  const read = await Promise.all(paths.map((path) => readDocument(resolve(path), file === undefined, signal)));
  const documents = read.filter((document) => document !== undefined);
  if (documents.length > 0) return resolveKubeConfig(mergeKubeconfigs(documents), options);
  if (environment['KUBERNETES_SERVICE_HOST']) return inClusterConfig({ environment }, signal);
  throw new KubeError('CONFIG_NOT_FOUND', `find a kubeconfig: no file at ${paths.join(', ') || 'all'}`);
}

/** The state of a kubeconfig file when it was read. */
export interface KubeconfigSnapshot {
  /** Of its text. */
  readonly digest: string;
  /** The file is parsed on the first call, once for all contexts. */
  select(selection: Selection): KubeConfig;
}

/** One file with many contexts. Returns `before` if the file is unchanged. */
export async function readKubeconfigFile(
  file: string,
  before: KubeconfigSnapshot | undefined,
  signal: AbortSignal,
): Promise<KubeconfigSnapshot> {
  const path = resolve(file);
  const text = await readText(path, signal);
  const digest = hash('sha256', text);
  if (before?.digest === digest) return before;
  let document: KubeconfigDocument | undefined;
  const parsed = (): KubeconfigDocument => (document ??= readKubeconfig(text, { name: path, folder: dirname(path) }));
  return { digest, select: (selection) => resolveKubeConfig(parsed(), selection) };
}

/** A kubeconfig from a Secret or the like. It may not name files or programs of this machine. */
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
    return readKubeconfig(await readText(path, signal), { name: path, folder: dirname(path) });
  } catch (error) {
    if (mayBeMissing && isKubeError(error, 'CONFIG_NOT_FOUND')) return undefined;
    throw error;
  }
}

async function readText(path: string, signal: AbortSignal): Promise<string> {
  try {
    return await readFile(path, { encoding: 'utf8', signal });
  } catch (error) {
    signal.throwIfAborted();
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new KubeError(missing ? 'CONFIG_NOT_FOUND' : 'CONFIG_INVALID', `read the kubeconfig ${path}`, {
      cause: error,
    });
  }
}
