import { lstatSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** As many installations and checkouts as one user takes turns with. */
const KEPT = 8;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Where Node keeps what it compiled from this program, for the next time that it starts; made if it is not there.
 * Undefined where there is no place that is the user's alone, which costs time and nothing else.
 *
 * Node runs what it finds there. So each folder on the way belongs to this very user: root does not run what a user wrote, and
 * leaves nothing of its own in the folders of a user.
 *
 * DECISION: a folder for each Node and each installed program (by its inode, which a new version changes). The process
 * that makes a new one removes those that were not used for the longest time, so that old versions do not pile up.
 */
export function compileCacheFolder(
  environment: Environment,
  program: string,
  uid = process.getuid?.(),
): string | undefined {
  const { XDG_CACHE_HOME: given, HOME: home } = environment;
  if (uid === undefined) return undefined;
  try {
    const { dev, ino } = statSync(program);
    const own = cacheHome(given, home, uid);
    if (own === undefined) return undefined;
    const all = join(own, 'fleetshift', 'compiled');
    if (!isOwn(join(own, 'fleetshift'), uid, 0o022) || !isOwn(all, uid, 0o077)) return undefined;
    const folder = join(all, `${process.version}-${process.arch}-${dev.toString(36)}-${ino.toString(36)}`);
    use(all, folder);
    return folder;
  } catch {
    return undefined;
  }
}

/** `$XDG_CACHE_HOME`, else `~/.cache`. A relative one means nothing, by the rules for that variable. */
function cacheHome(given: string | undefined, home: string | undefined, uid: number): string | undefined {
  if (given && isAbsolute(given)) return isOwn(given, uid, 0o022) ? given : undefined;
  if (!home || !isAbsolute(home) || statSync(home).uid !== uid) return undefined;
  const folder = join(home, '.cache');
  return isOwn(folder, uid, 0o022) ? folder : undefined;
}

/** A folder, and no link to one, of this user, where others may not do this. Made where there is none. */
function isOwn(folder: string, uid: number, denied: number): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const facts = lstatSync(folder);
  return facts.isDirectory() && facts.uid === uid && (facts.mode & denied) === 0;
}

function use(all: string, folder: string): void {
  const last = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
  if (last === undefined) {
    mkdirSync(folder, { mode: 0o700 });
    prune(all);
  } else if (Date.now() - last > DAY_MS) {
    const now = new Date();
    utimesSync(folder, now, now);
  }
}

function prune(all: string): void {
  const folders = readdirSync(all).map((name) => join(all, name));
  const byUse = folders.map((folder) => ({ folder, used: lstatSync(folder).mtimeMs })).sort((a, b) => b.used - a.used);
  for (const { folder } of byUse.slice(KEPT)) rmSync(folder, { recursive: true, force: true });
}
