import { hash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, type FindOptions, findGoProgram, type GoCommand, hasGo } from '../go-program.ts';

export const CLUSTER_SIZES = ['apiserver', 'controllers', 'nodes'] as const;
/**
 * `apiserver` keeps objects and does nothing about them. `controllers` also deletes namespaces, collects what has lost its
 * owner and makes Pods of Deployments. `nodes` also runs these Pods, in play or, when they are of our own image, in earnest.
 */
export type ClusterSize = (typeof CLUSTER_SIZES)[number];

export type Program = 'etcd' | 'kube-apiserver' | 'kubectl' | 'kube-controller-manager' | 'kube-scheduler' | 'kwok';

const API_SERVER: readonly Program[] = ['etcd', 'kube-apiserver', 'kubectl'];
const CONTROLLERS: readonly Program[] = [...API_SERVER, 'kube-controller-manager'];
export const PROGRAMS_OF: Readonly<Record<ClusterSize, readonly Program[]>> = {
  apiserver: API_SERVER,
  controllers: CONTROLLERS,
  nodes: [...CONTROLLERS, 'kube-scheduler', 'kwok'],
};

/** A program of `$KUBEBUILDER_ASSETS`, else of the user's cache, where it is built when it is missing. */
export async function findProgram(program: Program, { log, env }: FindOptions): Promise<string> {
  const given = givenProgram(program, env);
  if (given !== undefined) return given;
  const { title, version, takes, build } = sourceOf(program);
  const file = cachedProgram(program, env);
  const found = await findGoProgram({ title: `${title} ${version}`, file, takes, build }, { log, env });
  if (found === undefined) throw new Error(`find ${program}: ${whyMissing([program], env)}`);
  return found;
}

/** Why a cluster of this size cannot be had here, or undefined. What can be built is not missing. */
export function whyUnavailable(size: ClusterSize, env: NodeJS.ProcessEnv): string | undefined {
  const missing = PROGRAMS_OF[size].filter(
    (program) => givenProgram(program, env) === undefined && !existsSync(cachedProgram(program, env)),
  );
  return missing.length === 0 || hasGo(env) ? undefined : whyMissing(missing, env);
}

function whyMissing(programs: readonly Program[], env: NodeJS.ProcessEnv): string {
  const { go } = sourceOf('kube-apiserver');
  const assets = env['KUBEBUILDER_ASSETS'];
  return (
    `there is no ${programs.join(', ')}${assets ? ` in ${assets}` : ''}; install Go ${go} or newer, with which they are ` +
    'built, or set KUBEBUILDER_ASSETS to a folder that has them'
  );
}

function givenProgram(program: Program, env: NodeJS.ProcessEnv): string | undefined {
  const folder = env['KUBEBUILDER_ASSETS'];
  if (!folder) return undefined;
  const file = join(folder, program);
  return existsSync(file) ? file : undefined;
}

/** By everything that decides what is built, so that a change is built anew and what others use stays. */
function cachedProgram(program: Program, env: NodeJS.ProcessEnv): string {
  const { module, version, fingerprint } = sourceOf(program);
  return join(cacheFolder(env, 'clusters', `${module}-${version}-${fingerprint}`), program);
}

interface Source {
  readonly module: string;
  readonly title: string;
  readonly version: string;
  readonly go: string;
  readonly takes: string;
  readonly fingerprint: string;
  readonly build: (folder: string) => GoCommand;
}

const MODULES = join(import.meta.dirname, 'go');

function sourceOf(program: Program): Source {
  const module = program === 'etcd' || program === 'kwok' ? program : 'kubernetes';
  const cwd = join(MODULES, module);
  const mod = readFileSync(join(cwd, 'go.mod'), 'utf8');
  const version = versionOf(mod, MODULE_PATHS[module]);
  const from = module === 'kwok' ? `${MODULE_PATHS.kwok}/cmd/kwok` : module === 'etcd' ? '.' : `./${program}`;
  const flags = ['-trimpath', '-ldflags', linkerFlags(module, version)];
  return {
    module,
    version,
    title: program,
    go: /^go (\S+)/m.exec(mod)?.[1] ?? '',
    takes: program === 'kube-apiserver' ? 'about four minutes' : 'about a minute',
    fingerprint: fingerprintOf(cwd, flags),
    build: (folder) => ({ cwd, args: ['build', ...flags, '-o', join(folder, program), from] }),
  };
}

const MODULE_PATHS = {
  etcd: 'go.etcd.io/etcd/server/v3',
  kubernetes: 'k8s.io/kubernetes',
  kwok: 'sigs.k8s.io/kwok',
} as const;

function versionOf(mod: string, path: string): string {
  const line = mod.split('\n').find((text) =>
    text
      .replace(/^require /, '')
      .trim()
      .startsWith(`${path} v`),
  );
  const version = line
    ?.trim()
    .split(' ')
    .find((word) => /^v\d/.test(word));
  if (version === undefined) throw new Error(`read the version of ${path}: its go.mod has none`);
  return version;
}

/** Kubernetes calls itself v0.0.0 unless it is told, and clients that look at versions misbehave. */
function linkerFlags(module: keyof typeof MODULE_PATHS, version: string): string {
  if (module !== 'kubernetes') return '-s -w';
  const [major, minor] = version.slice(1).split('.');
  const told = { gitVersion: version, gitMajor: major, gitMinor: minor };
  return ['-s -w', ...Object.entries(told).map(([k, v]) => `-X k8s.io/component-base/version.${k}=${v}`)].join(' ');
}

function fingerprintOf(folder: string, flags: readonly string[]): string {
  const files = globSync('**/{go.mod,go.sum,*.go}', { cwd: folder }).toSorted((a, b) => (a < b ? -1 : 1));
  const contents = files.map((file) => `${file}\n${readFileSync(join(folder, file), 'utf8')}`);
  return hash('sha256', JSON.stringify([flags, contents]), 'hex').slice(0, 8);
}
