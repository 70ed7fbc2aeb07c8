import { lstatSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The number of installations and checkouts that one user alternates between. */
const KEPT = 8;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Returns the folder of Node's compile cache for this program, creating it if necessary. Undefined when no folder
 * belongs to the user alone; this only costs start-up time.
 *
 * Node executes the cached code, so every folder on the path must belong to this user: root must not run code written
 * by a user, and leaves no files of its own in a user's folders.
 *
 * DECISION: one folder for each Node version and each installed program (by its inode, which changes with every new
 * version). The process that creates a folder removes the least recently used ones, so that old versions do not
 * accumulate.
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

/** `$XDG_CACHE_HOME`, else `~/.cache`. A relative path is ignored, as the XDG specification requires. */
function cacheHome(given: string | undefined, home: string | undefined, uid: number): string | undefined {
  if (given && isAbsolute(given)) return isOwn(given, uid, 0o022) ? given : undefined;
  if (!home || !isAbsolute(home) || statSync(home).uid !== uid) return undefined;
  const folder = join(home, '.cache');
  return isOwn(folder, uid, 0o022) ? folder : undefined;
}

/** Whether the path is a folder, not a link, owned by this user and closed to others. Creates it if it does not exist. */
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
