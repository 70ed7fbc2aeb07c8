import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rm, symlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../testing/go-program.ts';
import { outsideOfNpm } from './outside-of-npm.ts';
import { commitOf } from './releases.ts';
import { ROOT } from './repository.ts';
import { runCommand } from './run-command.ts';

/** Older worktrees are removed: each may hold an installation. */
const KEPT = 4;

export interface Worktree {
  readonly folder: string;
  readonly commit: string;
}

/**
 * Prepares another version, a release or what git calls so, in the user's cache, apart for each use. It uses this checkout's installed packages if the
 * lockfile is the same.
 */
export async function prepareWorktree(
  ref: string,
  use: 'bench' | 'earlier' | 'mutants',
  signal: AbortSignal,
): Promise<Worktree> {
  const commit = (await git(['rev-parse', '--verify', '--end-of-options', `${commitOf(ref)}^{commit}`], signal)).trim();
  const folder = cacheFolder(process.env, use, commit);
  if (!(await isWhole(folder, commit, signal))) {
    await rm(folder, { recursive: true, force: true });
    await git(['worktree', 'prune'], signal);
    await mkdir(dirname(folder), { recursive: true });
    await git(['worktree', 'add', '--detach', '--force', folder, commit], signal);
    await removeOld(dirname(folder), signal);
  }
  const now = new Date();
  await utimes(folder, now, now);
  await installInto(folder, signal);
  return { folder, commit };
}

async function isWhole(folder: string, commit: string, signal: AbortSignal): Promise<boolean> {
  if (!existsSync(folder)) return false;
  const head = await runCommand(['git', '-C', folder, 'rev-parse', 'HEAD'], { cwd: ROOT }, signal);
  const status = await runCommand(['git', '-C', folder, 'status', '--porcelain', '-uno'], { cwd: ROOT }, signal);
  return head.code === 0 && head.output.trim() === commit && status.code === 0 && status.output === '';
}

async function removeOld(all: string, signal: AbortSignal): Promise<void> {
  const folders = (await readdir(all)).map((name) => join(all, name));
  const used = await Promise.all(folders.map(async (folder) => ({ folder, at: (await lstat(folder)).mtimeMs })));
  for (const { folder } of used.sort((a, b) => b.at - a.at).slice(KEPT)) await rm(folder, { recursive: true });
  await git(['worktree', 'prune'], signal);
}

async function installInto(folder: string, signal: AbortSignal): Promise<void> {
  const modules = join(folder, 'node_modules');
  const lockfiles = [ROOT, folder].map((each) => readFile(join(each, 'package-lock.json'), 'utf8'));
  const [ours, theirs] = await Promise.all(lockfiles);
  const there = await lstat(modules).catch(() => undefined);
  // A link points to this checkout's current installation, which may have changed since.
  if (there?.isSymbolicLink()) await rm(modules);
  else if (there !== undefined && existsSync(join(modules, '.package-lock.json'))) return;
  if (ours === theirs) return await symlink(join(ROOT, 'node_modules'), modules);
  const { code, output } = await runCommand(['npm', 'ci'], { cwd: folder, env: outsideOfNpm(process.env) }, signal);
  if (code !== 0) throw new Error(`npm ci in ${folder}: exit code ${code}\n${output}`);
}

async function git(args: readonly string[], signal: AbortSignal): Promise<string> {
  const { code, output } = await runCommand(['git', ...args], { cwd: ROOT }, signal);
  if (code !== 0) throw new Error(`git ${args.join(' ')}: exit code ${code}\n${output}`);
  return output;
}
