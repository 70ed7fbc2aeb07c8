import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { ROOT } from './repository.ts';
import { runCommand } from './run-command.ts';
import { softwareBill } from './sbom.ts';

/**
 * What is started, under the name that it has in the package. They lie side by side there: a worker is looked for beside
 * the file that starts it.
 */
export const ENTRIES = {
  fleetshift: 'apps/cli/main.ts',
  'writer-worker': 'kit/storage/sqlite/writer-worker.ts',
};

/** What `main.ts` goes on with, and what the quick commands share with the others once they have an answer to check. */
const PARTS = {
  start: 'apps/cli/start.ts',
  schemas: 'protocol/api/index.ts',
  typebox: 'typebox',
  'typebox-value': 'typebox/value',
};

/**
 * What has to start at once, each in one file: a module that several parts of a bundle share becomes a file of its own, and each
 * file that is loaded takes its time. A process runs either the quick commands or the others, so that nothing is there twice.
 */
const QUICK = {
  fleetshift: ENTRIES.fleetshift,
  'start-quick': 'apps/cli/start-quick.ts',
};

/** What of package.json the published package has too. */
const PUBLISHED = [
  'name',
  'version',
  'description',
  'license',
  'type',
  'bin',
  'dependencies',
  'optionalDependencies',
] as const;

/**
 * DECISION: these stay outside the bundle, and npm installs them beside it. Everything else goes into it: each module that is a
 * file of its own costs time and memory at every start, and there were hundreds.
 * The pages of the API's description are files that it reads; a driver for Postgres written in C is only used where it is found.
 */
export const BESIDE = ['@fastify/swagger-ui'];
const ABSENT = ['pg-native'];

const COPIED = ['README.md', 'LICENSE', 'bin/fleetshift'];

/** Makes the folder that is published. npm installs what it depends on beside it. `more` are programs that tests start from it. */
export async function buildPackage(
  folder: string,
  signal: AbortSignal,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'bin'), { recursive: true });
  const manifest = await publishedManifest();
  const options = {
    absWorkingDir: ROOT,
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'esm',
    sourcemap: true,
    metafile: true,
    logLevel: 'warning',
    plugins: [lazyBuiltins],
  } as const satisfies BuildOptions;
  const external = [...BESIDE, ...ABSENT];
  // Commands are loaded when they are asked for, in the package as in the sources.
  const { metafile } = await build({
    ...options,
    external,
    entryPoints: { ...PARTS, 'writer-worker': ENTRIES['writer-worker'], ...more },
    splitting: true,
  });
  const quick = await build({ ...options, entryPoints: QUICK, plugins: [lazyBuiltins, besideIt] });
  for (const file of COPIED) await copyFile(join(ROOT, file), join(folder, file));
  await chmod(join(folder, 'bin/fleetshift'), 0o755);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await writeFile(join(folder, 'NOTICES'), await noticesOf({ ...metafile.inputs, ...quick.metafile.inputs }));
  await writeFile(join(folder, 'sbom.cdx.json'), await softwareBill(signal));
  await tryIt(folder, signal);
}

/**
 * An import of a module of Node evaluates all of its exports, and some of them load a lot: those of `node:http` all of undici,
 * those of `node:fs` its promises and readline. Asked of the process, an export is evaluated when it is used.
 */
const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup(build) {
    build.onResolve({ filter: /^[a-z]/ }, ({ path }) => {
      if (!isBuiltin(path)) return undefined;
      return { path: path.startsWith('node:') ? path : `node:${path}`, namespace: 'builtin', sideEffects: false };
    });
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({ contents: builtin(path) }));
  },
};

function builtin(path: string): string {
  const load = `process.getBuiltinModule(${JSON.stringify(path)})`;
  // Many need something that could make a hash, and few make one: this one is loaded with its first use.
  if (path !== 'node:crypto') return `module.exports = ${load};`;
  const names = Object.keys(process.getBuiltinModule('node:crypto'));
  return `for (const name of ${JSON.stringify(names)})
    Object.defineProperty(module.exports, name, { enumerable: true, get: () => ${load}[name] });`;
}

/** What a quick command may need later, by how it is imported: it stays in the files of the others. */
const LATER: Readonly<Record<string, keyof typeof PARTS | keyof typeof QUICK>> = {
  './start.ts': 'start',
  './start-quick.ts': 'start-quick',
  '#protocol/api': 'schemas',
  typebox: 'typebox',
  'typebox/value': 'typebox-value',
};

const besideIt: Plugin = {
  name: 'beside-it',
  setup(build) {
    build.onResolve({ filter: /^[^/]/ }, ({ path, kind, importer }) => {
      const name = LATER[path];
      if (name === undefined || kind === 'entry-point') return undefined;
      if (kind === 'dynamic-import') return { path: `./${name}.js`, external: true };
      return { errors: [{ text: `${importer} needs ${path} at once: import it where it is used` }] };
    });
  },
};

type Manifest = Record<string, unknown> & { readonly dependencies: Readonly<Record<string, string>> };

async function publishedManifest(): Promise<Manifest> {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const kept = Object.entries(manifest.dependencies).filter(([name]) => BESIDE.includes(name));
  const published = Object.fromEntries(PUBLISHED.map((key) => [key, manifest[key]]));
  return { ...published, dependencies: Object.fromEntries(kept) };
}

/** The licences of others ask for it: what each package says of itself, in a file or at the head of its sources. */
async function noticesOf(inputs: Metafile['inputs']): Promise<string> {
  const theirs = Object.keys(inputs).filter((path) => path.includes('node_modules/'));
  const byPackage = Map.groupBy(theirs, (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
  const notices = await Promise.all(
    [...byPackage].map(async ([folder, files]) => {
      const found = [...(await licencesIn(folder)), ...(await headsOf(files))];
      const texts = found.length > 0 ? found : await manifestNotice(folder);
      const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
      if (texts.length === 0) throw new Error(`bundle ${name}: it does not say whose it is`);
      return [`${name}:\n`, ...texts].join('\n');
    }),
  );
  return ['This package contains the work of others.\n', ...notices].join('\n');
}

async function licencesIn(folder: string): Promise<string[]> {
  const files = (await readdir(join(ROOT, folder))).filter((name) => /^(licen[cs]e|notice)\b/i.test(name));
  return await Promise.all(files.map((name) => readFile(join(ROOT, folder, name), 'utf8')));
}

/** Of a package that has no text of its licence: which one it is, and who wrote it. */
async function manifestNotice(folder: string): Promise<string[]> {
  const { license, author, repository } = JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8')) as {
    readonly license?: string;
    readonly author?: string | { readonly name: string };
    readonly repository?: string | { readonly url: string };
  };
  if (license === undefined) return [];
  const by = typeof author === 'object' ? author.name : author;
  const from = typeof repository === 'object' ? repository.url : repository;
  return [`License: ${license}${by === undefined ? '' : `\nAuthor: ${by}`}${from === undefined ? '' : `\n${from}`}\n`];
}

async function headsOf(files: readonly string[]): Promise<Set<string>> {
  const texts = await Promise.all(files.map((path) => readFile(join(ROOT, path), 'utf8')));
  const heads = texts.map((text) => /^(?:\/\/.*\n)*/.exec(text)?.[0] ?? '').filter((head) => /copyright/i.test(head));
  return new Set(heads.map((head) => head.replaceAll(/^\/\/ ?/gm, '')));
}

async function tryIt(folder: string, signal: AbortSignal): Promise<void> {
  const { code, output } = await runCommand([join(folder, 'bin/fleetshift'), 'version'], { cwd: '/' }, signal);
  if (code !== 0) throw new Error(`start what was built in ${folder}: exit code ${code}\n${output}`);
}
