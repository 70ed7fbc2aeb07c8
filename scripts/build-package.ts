import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { ROOT } from './repository.ts';
import { runCommand } from './run-command.ts';

/**
 * What is started, under the name that it has in the package. They lie side by side there: a worker is looked for beside
 * the file that starts it.
 */
export const ENTRIES = {
  fleetshift: 'apps/cli/main.ts',
  'writer-worker': 'kit/storage/sqlite/writer-worker.ts',
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
 * DECISION: these go into the bundle, while other dependencies stay outside. A fleetlet needs all of them at its start, and a
 * module that is a file of its own costs it more memory than what is in it: as a hundred files they made an idle one larger
 * by a sixth.
 */
export const BUNDLED = ['@bufbuild/protobuf'];

const COPIED = ['README.md', 'LICENSE', 'bin/fleetshift'];

/** Makes the folder that is published. npm installs what it depends on beside it. */
export async function buildPackage(folder: string, signal: AbortSignal): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'bin'), { recursive: true });
  const manifest = await publishedManifest();
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    outdir: folder,
    bundle: true,
    // Commands are loaded when they are asked for, in the package as in the sources.
    splitting: true,
    external: Object.keys(manifest.dependencies).flatMap((name) => [name, `${name}/*`]),
    platform: 'node',
    target: 'node26',
    format: 'esm',
    sourcemap: true,
    metafile: true,
    logLevel: 'warning',
  });
  for (const file of COPIED) await copyFile(join(ROOT, file), join(folder, file));
  await chmod(join(folder, 'bin/fleetshift'), 0o755);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await writeFile(join(folder, 'NOTICES'), await noticesOf(metafile));
  await tryIt(folder, signal);
}

type Manifest = Record<string, unknown> & { readonly dependencies: Readonly<Record<string, string>> };

async function publishedManifest(): Promise<Manifest> {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const kept = Object.entries(manifest.dependencies).filter(([name]) => !BUNDLED.includes(name));
  const published = Object.fromEntries(PUBLISHED.map((key) => [key, manifest[key]]));
  return { ...published, dependencies: Object.fromEntries(kept) };
}

/** The licences of others ask for it: each different text that stands at the head of one of their files. */
async function noticesOf({ inputs }: Metafile): Promise<string> {
  const theirs = Object.keys(inputs).filter((path) => path.includes('node_modules/'));
  const texts = await Promise.all(theirs.map((path) => readFile(join(ROOT, path), 'utf8')));
  const heads = texts.map((text) => /^(?:\/\/.*\n)*/.exec(text)?.[0].replaceAll(/^\/\/ ?/gm, '') ?? '');
  const packages = BUNDLED.join(', ');
  return [`This package contains ${packages}:\n`, ...new Set(heads)].join('\n');
}

async function tryIt(folder: string, signal: AbortSignal): Promise<void> {
  const { code, output } = await runCommand([join(folder, 'bin/fleetshift'), 'version'], { cwd: '/' }, signal);
  if (code !== 0) throw new Error(`start what was built in ${folder}: exit code ${code}\n${output}`);
}
