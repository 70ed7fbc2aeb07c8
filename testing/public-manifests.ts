import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { cacheFolder, hasGo } from './go-program.ts';
import { logToStderr } from './log-to-stderr.ts';
import { onlyOne } from './only-one.ts';

export interface PublicObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface Origin {
  readonly module: string;
  readonly version: string;
  /** The module's hash as in a go.sum: the contents are these, from any server. */
  readonly sum: string;
  /** A file of the module, or a folder whose YAML files count. */
  readonly path: string;
}

const ARGO_CD = 'github.com/argoproj/argo-cd/v3';
const ARGO_CD_OLD = { module: ARGO_CD, version: 'v3.4.4', sum: 'h1:PmYfvrLRecuOXjoUjBVx0nRwtJv/Wc9a3jaWs37EyyI=' };
const ARGO_CD_NEW = { module: ARGO_CD, version: 'v3.5.6', sum: 'h1:twzdsPiPufKLRtEqD1Jg3FqtuZmSHLTIxs7t6fSkjlk=' };
const CERT_MANAGER = { module: 'github.com/cert-manager/cert-manager', path: 'deploy/crds' };
const GATEWAY_API = { module: 'sigs.k8s.io/gateway-api', path: 'config/crd/standard' };

/** Manifests that their projects publish, each from its Go module: the projects' own text, and none of it is ours. */
const ORIGINS = {
  'argo-cd-old': { ...ARGO_CD_OLD, path: 'manifests/install.yaml' },
  'argo-cd-old-ha': { ...ARGO_CD_OLD, path: 'manifests/ha/install.yaml' },
  'argo-cd': { ...ARGO_CD_NEW, path: 'manifests/install.yaml' },
  'argo-cd-ha': { ...ARGO_CD_NEW, path: 'manifests/ha/install.yaml' },
  'cert-manager-crds-old': {
    ...CERT_MANAGER,
    version: 'v1.20.0',
    sum: 'h1:czZamsFJ1YdKPhpv+SopJZN9t3W68vQBnFYUevSHGqY=',
  },
  'cert-manager-crds': {
    ...CERT_MANAGER,
    version: 'v1.21.2',
    sum: 'h1:UWgoYM+KLNtRlqmoWOKjKBOBUPVHeepQ6/ac3ERJW68=',
  },
  'gateway-api-crds-old': {
    ...GATEWAY_API,
    version: 'v1.2.0',
    sum: 'h1:LrToiFwtqKTKZcZtoQPTuo3FxhrrhTgzQG0Te+YGSo8=',
  },
  'gateway-api-crds': { ...GATEWAY_API, version: 'v1.4.0', sum: 'h1:ZwlNM6zOHq0h3WUX2gfByPs2yAEsy/EenYJB78jpQfQ=' },
} as const satisfies Record<string, Origin>;
export type PublicManifest = keyof typeof ORIGINS;

const NAMES = Object.keys(ORIGINS) as readonly PublicManifest[];
const DOWNLOAD_MS = 300_000;

let told: string | undefined;

/** The reason why the manifests are not available here, or undefined. Fetches those that are missing; logged prominently. */
export async function manifestsUnavailable(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const missing = NAMES.filter((name) => !existsSync(folderOf(name, env)));
  if (missing.length === 0) return undefined;
  told ??= await fetchMissing(missing, env);
  return told;
}

/** The documents of a manifest, from the user's cache. */
export async function publicManifest(
  name: PublicManifest,
  env: NodeJS.ProcessEnv = process.env,
): Promise<readonly PublicObject[]> {
  const folder = folderOf(name, env);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml');
  const texts = await Promise.all(files.toSorted().map((file) => readFile(join(folder, file), 'utf8')));
  const documents = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as unknown));
  return documents.filter((document) => document !== null) as PublicObject[];
}

async function fetchMissing(names: readonly PublicManifest[], env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (!hasGo(env)) {
    logToStderr('SKIPPED: public manifests are not delivered, since there is no Go to fetch their modules with');
    return 'there is no Go to fetch public manifests with';
  }
  for (const name of names) {
    const folder = folderOf(name, env);
    await mkdir(dirname(folder), { recursive: true });
    const waiting = (): void => logToStderr(`waiting for another process that fetches ${name}`);
    const work = async (): Promise<void> => await fetchInto(folder, ORIGINS[name], env);
    try {
      await onlyOne({ lock: `${folder}.fetcher`, isDone: () => existsSync(folder), waiting }, work);
    } catch (error) {
      if (error instanceof WrongContents) throw error;
      logToStderr(`SKIPPED: public manifests are not delivered, since ${name} cannot be fetched: ${String(error)}`);
      return `${name} cannot be fetched from its Go module`;
    }
  }
  return undefined;
}

class WrongContents extends Error {}

function folderOf(name: PublicManifest, env: NodeJS.ProcessEnv): string {
  return cacheFolder(env, 'manifests', `${name}-${ORIGINS[name].version}`);
}

/** Copied elsewhere and moved into place in one step, so that the folder is never seen incomplete. */
async function fetchInto(
  folder: string,
  { module, version, sum, path }: Origin,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const args = ['mod', 'download', '-json', `${module}@${version}`];
  // Folders of the module cache are read-only otherwise, and the home of a test could not be removed.
  const go = { ...env, GOFLAGS: `${env['GOFLAGS'] ?? ''} -modcacherw`.trim() };
  const { stdout } = await promisify(execFile)('go', args, { cwd: '/', env: go, timeout: DOWNLOAD_MS });
  const { Dir, Sum } = JSON.parse(stdout) as { readonly Dir: string; readonly Sum: string };
  if (Sum !== sum) throw new WrongContents(`fetch ${module}@${version}: its hash is ${Sum}, not ${sum}`);
  const apart = await mkdtemp(`${folder}-`);
  try {
    const source = join(Dir, path);
    const files = path.endsWith('.yaml') ? [source] : (await readdir(source)).map((file) => join(source, file));
    await mkdir(join(apart, 'files'));
    for (const file of files.filter((each) => each.endsWith('.yaml'))) {
      await copyFile(file, join(apart, 'files', basename(file)));
    }
    await rename(join(apart, 'files'), folder);
  } finally {
    await rm(apart, { recursive: true, force: true });
  }
}
