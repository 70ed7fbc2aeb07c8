import { existsSync } from 'node:fs';
import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT } from '../scripts/repository.ts';
import { runCommand } from '../scripts/run-command.ts';
import { prepareWorktree } from '../scripts/worktree.ts';
import { cacheFolder } from './go-program.ts';
import { onlyOne } from './only-one.ts';

/** The commit whose data this version must open and whose work it must finish. */
const EARLIER = 'ebab367b67d3f2154cc4fd549f3a977369bb3030';

/** Names the folder of the earlier package for test processes; empty where there is none. */
export const EARLIER_PACKAGE = 'FLEETSHIFT_TEST_EARLIER_PACKAGE';

const BUILD_MS = 600_000;

/**
 * The folder of a package built from an earlier commit, with the program `serve-simulated` in it. It is built once for
 * each user. `undefined` if the commit is not in this clone.
 */
export async function earlierPackage(log: (line: string) => void): Promise<string | undefined> {
  const prepared = process.env[EARLIER_PACKAGE];
  if (prepared !== undefined) return prepared || undefined;
  const signal = AbortSignal.timeout(BUILD_MS);
  const found = await runCommand(['git', 'cat-file', '-e', `${EARLIER}^{commit}`], { cwd: ROOT }, signal);
  if (found.code !== 0) {
    log(`commit ${EARLIER.slice(0, 12)} is not in this clone: skipping the suites that upgrade from it`);
    return undefined;
  }
  const folder = cacheFolder(process.env, 'earlier-packages', EARLIER);
  await mkdir(dirname(folder), { recursive: true });
  await onlyOne(
    {
      lock: `${folder}.lock`,
      isDone: () => existsSync(folder),
      waiting: () => log('waiting for another process that builds the earlier package'),
    },
    () => build(folder, signal),
  );
  const modules = join(folder, 'node_modules');
  // A link to the packages of a checkout that is gone.
  if (!existsSync(modules)) {
    await rm(modules, { force: true });
    await symlink(join(ROOT, 'node_modules'), modules);
  }
  return folder;
}

/** Built by its own scripts, elsewhere, and moved into place in one step. */
async function build(folder: string, signal: AbortSignal): Promise<void> {
  const worktree = await prepareWorktree(EARLIER, 'earlier', signal);
  const apart = `${folder}.${process.pid}`;
  const code = `
    const { buildPackage } = await import('./scripts/build-package.ts');
    const [folder, program] = process.argv.slice(1);
    await buildPackage(folder, AbortSignal.timeout(${BUILD_MS}), { 'serve-simulated': program });`;
  const args = ['--input-type=module', '--eval', code, apart, join(worktree.folder, 'e2e/serve-simulated.ts')];
  const built = await runCommand([process.execPath, ...args], { cwd: worktree.folder }, signal);
  if (built.code !== 0) throw new Error(`build the earlier package: exit code ${built.code}\n${built.output}`);
  await rename(apart, folder);
}
