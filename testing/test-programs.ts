import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { promisify } from 'node:util';
import {
  cacheFolder,
  type FindOptions,
  findGoProgram,
  fingerprint,
  type GoProgram,
  type GoSource,
} from './go-program.ts';

/** Third-party programs that tests and benches run, in build order: those that most test files need come first. */
export const TEST_PROGRAMS = [
  'etcd',
  'kube-apiserver',
  'kubectl',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
  'temporal-server',
  'helm',
  'cluster-api',
  'open-cluster-management',
] as const;
export type TestProgram = (typeof TEST_PROGRAMS)[number];

interface Origin {
  readonly title: string;
  /** The module whose version is the program's. */
  readonly module: string;
  /** A folder of ours; by default the program is built as it is. */
  readonly package?: string;
  readonly takes: string;
  /** Has a Go module of its own, because it needs other versions of the Kubernetes client libraries. */
  readonly isApart?: true;
  readonly pruned?: readonly Pruned[];
}

/** A module without the parts that no test uses and that take long to compile. */
interface Pruned {
  readonly module: string;
  /** Patterns of files to leave out. */
  readonly without: readonly string[];
  /** Replacement files of ours in the program's folder, by the path they replace. */
  readonly instead?: Readonly<Record<string, string>>;
}

const KUBERNETES = 'k8s.io/kubernetes';
const ORIGINS: Readonly<Record<TestProgram, Origin>> = {
  etcd: { title: 'etcd', module: 'go.etcd.io/etcd/server/v3', takes: 'about a minute' },
  'kube-apiserver': { title: 'kube-apiserver', module: KUBERNETES, takes: 'about three minutes' },
  kubectl: { title: 'kubectl', module: KUBERNETES, takes: 'less than a minute' },
  'kube-controller-manager': { title: 'kube-controller-manager', module: KUBERNETES, takes: 'about a minute' },
  'kube-scheduler': { title: 'kube-scheduler', module: KUBERNETES, takes: 'less than a minute' },
  kwok: {
    title: 'kwok',
    module: 'sigs.k8s.io/kwok',
    package: 'sigs.k8s.io/kwok/cmd/kwok',
    takes: 'less than a minute',
  },
  'temporal-server': {
    title: 'the Temporal server',
    module: 'go.temporal.io/server',
    takes: 'about two minutes',
    pruned: [
      {
        module: 'go.temporal.io/server',
        without: ['common/archiver/{s3store,gcloud}/*'],
        instead: {
          'common/archiver/s3store/pruned.go': '_pruned/s3store.go',
          'common/archiver/gcloud/pruned.go': '_pruned/gcloud.go',
          'common/persistence/visibility/store/elasticsearch/client/aws.go': '_pruned/aws.go',
        },
      },
      { module: 'go.temporal.io/auto-scaled-workers', without: ['wci/workflow/compute_provider/{aws,gcp,k8s}*'] },
    ],
  },
  helm: { title: 'Helm', module: 'helm.sh/helm/v4', package: 'helm.sh/helm/v4/cmd/helm', takes: 'about a minute' },
  'cluster-api': {
    title: "Cluster API's manager",
    module: 'sigs.k8s.io/cluster-api',
    package: 'sigs.k8s.io/cluster-api',
    takes: 'about two minutes',
    isApart: true,
  },
  'open-cluster-management': {
    title: 'the work manager and agent of Open Cluster Management',
    module: 'open-cluster-management.io/ocm',
    package: 'open-cluster-management.io/ocm/cmd/work',
    takes: 'about two minutes',
    isApart: true,
  },
};

/** The Go module that pins the programs, and their sources. */
const MODULE = join(import.meta.dirname, 'go');
const DOWNLOAD_MS = 300_000;

/**
 * The path of a program in the user's cache, built there when it is missing. `undefined` where neither the program nor Go
 * is available. Several processes may call this at once; one of them builds, one program at a time.
 */
export async function prepareProgram(name: TestProgram, options: FindOptions): Promise<string | undefined> {
  return await findGoProgram(programOf(name, options.env), options);
}

export function hasProgram(name: TestProgram, env: NodeJS.ProcessEnv): boolean {
  return existsSync(programOf(name, env).file);
}

export function versionOf(name: TestProgram): string {
  const { module } = ORIGINS[name];
  const version = goMod(name)
    .split('\n')
    .map((line) => line.trim().split(' '))
    .find(([path, word]) => path === module && word?.startsWith('v'))?.[1];
  if (version === undefined) throw new Error(`read the version of ${module}: go.mod has none`);
  return version;
}

/** The oldest version of Go that builds them. */
export function goVersion(): string {
  return /^go (\S+)/m.exec(goMod('kube-apiserver'))?.[1] ?? '';
}

/** The folder with the go.mod that pins the program. */
export function moduleOf(name: TestProgram): string {
  return ORIGINS[name].isApart ? join(MODULE, name) : MODULE;
}

function goMod(name: TestProgram): string {
  return readFileSync(join(moduleOf(name), 'go.mod'), 'utf8');
}

function programOf(name: TestProgram, env: NodeJS.ProcessEnv): GoProgram {
  const { title, takes, pruned = [], package: from = `./${name}` } = ORIGINS[name];
  const version = versionOf(name);
  const variables = ORIGINS[name].module === KUBERNETES ? kubernetesVariables(version) : {};
  const module = moduleOf(name);
  const files = ['go.mod', 'go.sum', ...globSync(`${name}/**/*.go`, { cwd: module }).toSorted()];
  const contents = files.map((file) => [file, readFileSync(join(module, file), 'utf8')]);
  const source: GoSource = { module, package: from, variables };
  const folder = cacheFolder(env, 'programs');
  return {
    title: `${title} ${version}`,
    takes,
    // The path depends on every input of the build, so that a change is rebuilt and the programs of other checkouts stay.
    file: join(folder, `${name}-${version}-${fingerprint(from, variables, pruned, contents)}`, name),
    // Two concurrent builds would compile shared packages twice.
    lock: join(folder, 'builder'),
    source:
      pruned.length === 0
        ? source
        : async (apart) => ({ ...source, flags: [`-modfile=${await prune(name, pruned, { folder: apart, env })}`] }),
  };
}

/** Kubernetes reports v0.0.0 by default, and clients that check versions misbehave. */
function kubernetesVariables(version: string): Record<string, string> {
  const [major = '', minor = ''] = version.slice(1).split('.');
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor };
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [`k8s.io/component-base/version.${key}`, value]),
  );
}

interface PruneOptions {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Writes a go.mod that replaces these modules with copies in which files are left out or replaced.
 *
 * DECISION: copies, because `go build -overlay` refuses to replace files in the module cache.
 */
async function prune(name: TestProgram, pruned: readonly Pruned[], { folder, env }: PruneOptions): Promise<string> {
  const replaced: string[] = [];
  for (const { module, without, instead = {} } of pruned) {
    const copy = join(folder, basename(module));
    await copyModule(await download(module, env), copy, [...without, ...Object.keys(instead), '**/*_test.go']);
    for (const [place, ours] of Object.entries(instead)) {
      await mkdir(dirname(join(copy, place)), { recursive: true });
      await writeFile(join(copy, place), await readFile(join(MODULE, name, ours)));
    }
    replaced.push(`replace ${module} => ${JSON.stringify(copy)}\n`);
  }
  const file = join(folder, 'go.mod');
  await writeFile(file, [goMod(name), ...replaced].join('\n'));
  await copyFile(join(MODULE, 'go.sum'), join(folder, 'go.sum'));
  return file;
}

async function download(module: string, env: NodeJS.ProcessEnv): Promise<string> {
  const args = ['mod', 'download', '-json', module];
  const { stdout } = await promisify(execFile)('go', args, { cwd: MODULE, env, timeout: DOWNLOAD_MS });
  return (JSON.parse(stdout) as { readonly Dir: string }).Dir;
}

/** Copies file by file: folders of the module cache are read-only, and copies of them could not be removed. */
async function copyModule(from: string, to: string, without: readonly string[]): Promise<void> {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const file = relative(from, join(entry.parentPath, entry.name));
    if (!entry.isFile() || without.some((pattern) => matchesGlob(file, pattern))) continue;
    await mkdir(dirname(join(to, file)), { recursive: true });
    await copyFile(join(from, file), join(to, file));
  }
}
