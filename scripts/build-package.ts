import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
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

const COPIED = ['README.md', 'LICENSE', 'bin/fleetshift'];

/** Makes the folder that is published. Its dependencies stay outside; npm installs them beside it. */
export async function buildPackage(folder: string, signal: AbortSignal): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'bin'), { recursive: true });
  await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    outdir: folder,
    bundle: true,
    // Commands are loaded when they are asked for, in the package as in the sources.
    splitting: true,
    packages: 'external',
    platform: 'node',
    target: 'node26',
    format: 'esm',
    sourcemap: true,
    logLevel: 'warning',
  });
  for (const file of COPIED) await copyFile(join(ROOT, file), join(folder, file));
  await chmod(join(folder, 'bin/fleetshift'), 0o755);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(await publishedManifest(), undefined, 2)}\n`);
  await tryIt(folder, signal);
}

async function publishedManifest(): Promise<Record<string, unknown>> {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
  return Object.fromEntries(PUBLISHED.map((key) => [key, manifest[key]]));
}

async function tryIt(folder: string, signal: AbortSignal): Promise<void> {
  const { code, output } = await runCommand([join(folder, 'bin/fleetshift'), 'version'], { cwd: '/' }, signal);
  if (code !== 0) throw new Error(`start what was built in ${folder}: exit code ${code}\n${output}`);
}
