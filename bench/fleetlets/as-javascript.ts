import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/**
 * The programs as JavaScript, as the product is published: a process that runs from the sources also holds the type stripper
 * and its compiled code. The files exist until `dispose`.
 */
export async function asJavaScript(
  programs: readonly URL[],
): Promise<{ readonly of: (program: URL) => URL; readonly dispose: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-bench-'));
  await build({
    entryPoints: programs.map((program) => fileURLToPath(program)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'esm',
    logLevel: 'warning',
  });
  const of = (program: URL): URL => pathToFileURL(join(folder, basename(program.pathname).replace(/\.ts$/, '.mjs')));
  return { of, dispose: () => rm(folder, { recursive: true, force: true }) };
}
