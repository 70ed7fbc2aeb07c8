import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { compiledSchemas } from './compiled-schemas.ts';
import { noticesOf } from './notices.ts';
import { ROOT } from './repository.ts';
import { runCommand } from './run-command.ts';
import { softwareBill } from './sbom.ts';

/**
 * The entry points, by their name in the package. They must be in one folder: a worker is looked up next to the file that
 * starts it.
 */
export const ENTRIES = {
  fleetshift: 'apps/cli/main.ts',
  'writer-worker': 'kit/storage/sqlite/writer-worker.ts',
};

/**
 * The modules that `main.ts` loads next, and those that quick commands share with the others once they have an answer to
 * check.
 */
const PARTS = {
  start: 'apps/cli/start.ts',
  schemas: 'protocol/api/index.ts',
  typebox: 'typebox',
  'typebox-value': 'typebox/value',
};

/**
 * Entry points that must start fast, each bundled into one file: modules shared between parts of a bundle become separate
 * files, and loading each file takes time. A process runs either the quick commands or the others, so no module is loaded
 * twice.
 */
const QUICK = { 'start-quick': 'apps/cli/quick.ts' };

/** The fields of package.json that the published package keeps. */
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
 * DECISION: these stay outside the bundle, and npm installs them next to it. Everything else is bundled: each module in a
 * file of its own costs time and memory at every start, and there were hundreds. The pages of the API description are
 * files read at runtime; the C driver for Postgres is used only where it is installed.
 */
export const BESIDE = ['@fastify/swagger-ui'];
const ABSENT = ['pg-native'];

const COPIED = ['README.md', 'LICENSE', 'bin/fleetshift', 'bin/node-flags'];

/** Builds the folder to publish. npm installs its dependencies next to it. `more` are programs that tests start from it. */
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
  // Commands are loaded on demand, in the package as in the sources.
  const { metafile } = await build({
    ...options,
    external,
    entryPoints: { ...PARTS, 'writer-worker': ENTRIES['writer-worker'], ...more },
    splitting: true,
  });
  const quick = await build({
    ...options,
    entryPoints: QUICK,
    // One script that V8 can keep the compiled code of; see apps/cli/run-compiled.ts.
    format: 'cjs',
    entryNames: '[name]-[hash]',
    outExtension: { '.js': '.cjs' },
    define: { 'import.meta.url': 'PROGRAM_URL' },
    supported: { 'dynamic-import': false },
    plugins: [lazyBuiltins, besideIt, compiledSchemas],
  });
  const program = Object.keys(quick.metafile.outputs).find((path) => path.endsWith('.cjs'));
  if (program === undefined) throw new Error('build the package: the quick commands have no file');
  const main = await build({
    ...options,
    entryPoints: { fleetshift: ENTRIES.fleetshift },
    define: { QUICK_PROGRAM: JSON.stringify(basename(program)) },
    plugins: [lazyBuiltins, besideIt, compiledQuick],
  });
  for (const file of COPIED) await copyFile(join(ROOT, file), join(folder, file));
  await chmod(join(folder, 'bin/fleetshift'), 0o755);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await writeFile(
    join(folder, 'NOTICES'),
    await noticesOf(packagesAmong({ ...metafile.inputs, ...quick.metafile.inputs, ...main.metafile.inputs })),
  );
  await writeFile(join(folder, 'sbom.cdx.json'), await softwareBill(signal));
  await tryIt(folder, signal);
}

/**
 * Importing a built-in module evaluates all of its exports, and some load a lot: `node:http` loads all of undici,
 * `node:fs` its promises and readline. Through the process object, an export is evaluated only when it is used.
 */
const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup(build) {
    build.onResolve({ filter: /^[a-z]/ }, ({ path, kind }) => {
      if (!isBuiltin(path)) return undefined;
      const name = path.startsWith('node:') ? path : `node:${path}`;
      const isListed = kind === 'import-statement' && !AT_FIRST_USE.includes(name);
      return { path: name, namespace: isListed ? 'builtin-exports' : 'builtin', sideEffects: false };
    });
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({ contents: builtin(path) }));
    build.onLoad({ filter: /.*/, namespace: 'builtin-exports' }, ({ path }) => ({ contents: builtinExports(path) }));
  },
};

/** Many programs contain code that needs these, and few runs get to it: they are loaded when the first export is used. */
const AT_FIRST_USE = ['node:crypto', 'node:net', 'node:tty'];

function builtin(path: string): string {
  const load = `process.getBuiltinModule(${JSON.stringify(path)})`;
  if (!AT_FIRST_USE.includes(path)) return `module.exports = ${load};`;
  const names = namesIn(path);
  return `for (const name of ${JSON.stringify(names)})
    Object.defineProperty(module.exports, name, { enumerable: true, get: () => ${load}[name] });`;
}

function namesIn(path: string): readonly string[] {
  return Object.keys(process.getBuiltinModule(path) ?? {});
}

/** An export that no module imports is left out of the bundle. */
function builtinExports(path: string): string {
  const names = namesIn(path).filter((name) => name !== 'default');
  return `const loaded = process.getBuiltinModule(${JSON.stringify(path)});
    export default loaded;
    ${names.map((name) => `export const ${name} = /* @__PURE__ */ (() => loaded.${name})();`).join('\n')}`;
}

/** Modules that a quick command may need later, by import specifier: they stay in the files of the others. */
const LATER: Readonly<Record<string, keyof typeof PARTS>> = {
  './start.ts': 'start',
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

/** In a checkout the quick commands are modules like all others. */
const compiledQuick: Plugin = {
  name: 'compiled-quick',
  setup(build) {
    const compiled = join(ROOT, 'apps/cli/start-quick-compiled.ts');
    build.onResolve({ filter: /^\.\/start-quick\.ts$/ }, () => ({ path: compiled }));
  },
};

type Manifest = Record<string, unknown> & { readonly dependencies: Readonly<Record<string, string>> };

async function publishedManifest(): Promise<Manifest> {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const kept = Object.entries(manifest.dependencies).filter(([name]) => BESIDE.includes(name));
  const published = Object.fromEntries(PUBLISHED.map((key) => [key, manifest[key]]));
  return { ...published, dependencies: Object.fromEntries(kept) };
}

/** The files of each package among the inputs, by its folder. */
function packagesAmong(inputs: Metafile['inputs']): Map<string, string[]> {
  const theirs = Object.keys(inputs).filter((path) => path.includes('node_modules/'));
  return Map.groupBy(theirs, (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
}

async function tryIt(folder: string, signal: AbortSignal): Promise<void> {
  const { code, output } = await runCommand([join(folder, 'bin/fleetshift'), 'version'], { cwd: '/' }, signal);
  if (code !== 0) throw new Error(`run the package built in ${folder}: exit code ${code}\n${output}`);
}
