import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { ERROR_CATEGORIES } from '#kit/std';
import { PUBLISHED_WORKFLOWS } from '../apps/platform/durable/workflow-set.ts';
import { installSdk } from '../testing/temporal/install-sdk.ts';
import { noticesOf } from './notices.ts';
import { ROOT } from './repository.ts';

const ENGINE = join(ROOT, 'kit/durable/temporal');
const NAME = 'fleetshift-temporal';
/** Files that declare error classes which the main package has to recognize. */
const SHARED = ['kit/std/errors.ts', 'kit/durable/durable-error.ts', 'kit/durable/temporal/temporal-error.ts'];
const CLASSES = ['FleetError', 'DurableError', 'TemporalError'];

type Manifest = Readonly<Record<string, unknown>> & { readonly dependencies: Readonly<Record<string, string>> };
type Lockfile = Readonly<Record<string, unknown>> & { readonly packages: Readonly<Record<string, object>> };

/**
 * Builds the folder of the engine for Temporal: the engine, the workflows as one file for the sandbox, and a lockfile that
 * npm heeds in a published package. The SDK, which is large, is a dependency of this package alone.
 */
export async function buildTemporalPackage(folder: string, log?: (line: string) => void): Promise<void> {
  await installSdk(log);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const options = {
    absWorkingDir: ROOT,
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'esm',
    logLevel: 'warning',
  } as const satisfies BuildOptions;
  await build({
    ...options,
    entryPoints: { engine: join(ENGINE, 'host/temporal-engine.ts') },
    external: ['@temporalio/*'],
    plugins: [sharedErrors],
  });
  // Imports the SDK, which was installed just now.
  const { bundleWorkflows, SANDBOX_DEFAULTS } = await import('../kit/durable/temporal/host/index.ts');
  const { code } = await bundleWorkflows(PUBLISHED_WORKFLOWS.modules, SANDBOX_DEFAULTS);
  await writeFile(join(folder, 'workflows.cjs'), withoutPaths(code));
  await writeManifests(folder);
  await writeFile(join(folder, 'NOTICES'), await noticesOf(packagesIn(code)));
  await copyFile(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  await copyFile(join(ENGINE, 'PACKAGE.md'), join(folder, 'README.md'));
}

/** In their place the engine imports `errors.js`, which hands it the classes of the main package. */
const sharedErrors: Plugin = {
  name: 'shared-errors',
  setup(build) {
    build.onResolve({ filter: /errors?\.ts$/ }, async ({ path, ...found }) => {
      if (found.pluginData === sharedErrors) return undefined;
      const resolved = await build.resolve(path, { ...found, pluginData: sharedErrors });
      return SHARED.includes(relative(ROOT, resolved.path)) ? { path: './errors.js', external: true } : resolved;
    });
  },
};

async function writeManifests(folder: string): Promise<void> {
  const [main, engine, lockfile] = await Promise.all([
    readManifest(join(ROOT, 'package.json')),
    readManifest(join(ENGINE, 'package.json')),
    readFile(join(ENGINE, 'package-lock.json'), 'utf8').then((text) => JSON.parse(text) as Lockfile),
  ]);
  const { version, license } = main;
  const { dependencies } = engine;
  const identity = { name: NAME, version, license };
  const description =
    'The engine with which FleetShift runs its workflows on Temporal, for the same version of fleetshift.';
  const manifest = { ...identity, description, type: 'module', exports: './index.js', dependencies };
  const packages = { ...lockfile.packages, '': { ...identity, dependencies } };
  await writeJson(join(folder, 'package.json'), manifest);
  await writeJson(join(folder, 'npm-shrinkwrap.json'), { ...lockfile, name: NAME, version, packages });
  const workflows = PUBLISHED_WORKFLOWS.workflows.map(({ name }) => name);
  await writeFile(join(folder, 'errors.js'), errorsModule());
  await writeFile(join(folder, 'index.js'), indexModule(String(version), workflows));
}

function errorsModule(): string {
  const names = CLASSES.join(', ');
  // The same file declares them.
  const categories = `export const ERROR_CATEGORIES = ${JSON.stringify(ERROR_CATEGORIES)};`;
  return `${categories}\nexport let ${names};\nexport function provide(errors) {\n  ({ ${names} } = errors);\n}\n`;
}

function indexModule(version: string, workflows: readonly string[]): string {
  return `import { provide } from './errors.js';

export const version = ${JSON.stringify(version)};
export const workflows = ${JSON.stringify(workflows)};
export const workflowBundle = new URL('./workflows.cjs', import.meta.url);

export async function load(errors) {
  provide(errors);
  return await import('./engine.js');
}
`;
}

const MAP_STARTS = ';base64,';

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly string[];
}

/** The code up to its inline source map, and the map. Found from the end: both are megabytes. */
function parted(code: string): { readonly before: string; readonly map: SourceMap } {
  const at = code.lastIndexOf(MAP_STARTS) + MAP_STARTS.length;
  const map = JSON.parse(Buffer.from(code.slice(at), 'base64').toString('utf8')) as SourceMap;
  return { before: code.slice(0, at), map };
}

/** Temporal requires the source map. It names sources as they are in the repository, and not where this machine has them. */
function withoutPaths(code: string): string {
  const { before, map } = parted(code);
  const { sourcesContent: _, ...rest } = map;
  const sources = map.sources.map((source) => (source.startsWith(ROOT) ? relative(ROOT, source) : basename(source)));
  const [entry = 'none'] = /fleetshift-workflows-\w+/.exec(before) ?? [];
  const text = Buffer.from(JSON.stringify({ ...rest, sources })).toString('base64');
  return before.replaceAll(entry, 'workflows') + text;
}

/** Folders of the packages whose code is in the bundle, by its source map. */
function packagesIn(code: string): Map<string, string[]> {
  const { sources } = parted(code).map;
  const found = sources.flatMap((source) => /node_modules\/(?:@[^/]+\/)?[^/]+/.exec(source)?.[0] ?? []);
  return new Map(found.map((path) => [join('kit/durable/temporal', path), []]));
}

async function readManifest(file: string): Promise<Manifest> {
  return JSON.parse(await readFile(file, 'utf8')) as Manifest;
}

async function writeJson(file: string, value: object): Promise<void> {
  await writeFile(file, `${JSON.stringify(value, undefined, 2)}\n`);
}
