import { existsSync } from 'node:fs';
import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { newestRelease } from '../scripts/releases.ts';
import { ROOT } from '../scripts/repository.ts';
import { runCommand } from '../scripts/run-command.ts';
import { prepareWorktree } from '../scripts/worktree.ts';
import { cacheFolder } from './go-program.ts';
import { onlyOne } from './only-one.ts';

/**
 * The previous release: this version must open its data and finish its work, and it must run on the tables of this version.
 */
const { version: RELEASE, commit: COMMIT } = newestRelease();

/** Names the folder of the earlier package for test processes; empty where there is none. */
export const EARLIER_PACKAGE = 'FLEETSHIFT_TEST_EARLIER_PACKAGE';

const BUILD_MS = 600_000;

/**
 * The folder of the package of the previous release, with the program `serve-simulated` in it. It is built once for each
 * user. `undefined` if the commit is not in this clone, as in a shallow one.
 */
export async function earlierPackage(log: (line: string) => void): Promise<string | undefined> {
  const prepared = process.env[EARLIER_PACKAGE];
  if (prepared !== undefined) return prepared || undefined;
  const signal = AbortSignal.timeout(BUILD_MS);
  const found = await runCommand(['git', 'cat-file', '-e', `${COMMIT}^{commit}`], { cwd: ROOT }, signal);
  if (found.code !== 0) {
    log(`commit ${COMMIT.slice(0, 12)} of ${RELEASE} is not in this clone: skipping the suites that need its package`);
    return undefined;
  }
  const folder = cacheFolder(process.env, 'earlier-packages', COMMIT);
  await mkdir(dirname(folder), { recursive: true });
  await onlyOne(
    {
      lock: `${folder}.lock`,
      isDone: () => existsSync(folder),
      waiting: () => log(`waiting for another process that builds the package of ${RELEASE}`),
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
  const worktree = await prepareWorktree(COMMIT, 'earlier', signal);
  const apart = `${folder}.${process.pid}`;
  const code = `
    const { buildPackage } = await import('./scripts/build-package.ts');
    const [folder, program] = process.argv.slice(1);
    await buildPackage(folder, AbortSignal.timeout(${BUILD_MS}), { 'serve-simulated': program });`;
  const args = ['--input-type=module', '--eval', code, apart, join(worktree.folder, 'e2e/serve-simulated.ts')];
  const built = await runCommand([process.execPath, ...args], { cwd: worktree.folder }, signal);
  if (built.code !== 0) throw new Error(`build the package of ${RELEASE}: exit code ${built.code}\n${built.output}`);
  await rename(apart, folder);
}
