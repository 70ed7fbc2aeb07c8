import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from './free-ports.ts';
import { type Guardian, startGuardian } from './guardian.ts';
import { PATIENCE_MS } from './patience.ts';
import { type Account, serverAccount } from './postgres/account.ts';
import { type Binaries, findBinaries, ORIGINS, type Origin } from './postgres/binaries.ts';
import { ServerProcess } from './server-process.ts';

export interface StartPostgresOptions {
  /** Receives progress, line by line. */
  readonly log?: (line: string) => void;
  /** Defaults to `FLEETSHIFT_TEST_POSTGRES`, or else prefers the installed one over the one from npm. */
  readonly origin?: Origin;
  readonly env?: NodeJS.ProcessEnv;
}

export interface PostgresServer {
  /** Includes a superuser's name and password, and the database `postgres`. */
  readonly url: string;
  readonly origin: Origin;
  readonly version: string;
  readonly pid: number;
  /** Holds everything the server writes, its socket too. */
  readonly folder: string;
  /** Stops it and starts it again on the same port as a hot standby: it answers reads and refuses every write. */
  becomeStandby(): Promise<void>;
  stop(): Promise<void>;
}

const USER = 'fleetshift';

/**
 * Starts a real Postgres on its own port and in its own folder, as an unprivileged user. It ends with `stop`, or with
 * this process, even when that is killed. It never keeps this process alive.
 *
 * Commits are as durable as in production, because tests kill the server and check what is left.
 */
export async function startPostgres(options: StartPostgresOptions = {}): Promise<PostgresServer> {
  const env = options.env ?? process.env;
  const account = serverAccount();
  const folder = makeFolder(account);
  const guardian = startGuardian(folder, { account, signal: 'QUIT' });
  try {
    const binaries = findBinaries({ env, account, folder, origin: options.origin ?? originOf(env) });
    const password = randomBytes(16).toString('hex');
    initialise({ binaries, account, folder, password });
    const place = { binaries, account, folder };
    const { server: first, port } = await startOnFreePort({ ...place, guardian });
    let server = first;
    options.log?.(`Postgres ${binaries.version} (${binaries.origin}) on port ${port}`);
    return {
      url: `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`,
      origin: binaries.origin,
      version: binaries.version,
      pid: first.pid,
      folder,
      becomeStandby: async () => {
        await server.stop('SIGINT');
        // A standby without a primary: it replays its own log, then waits for more until it is promoted.
        writeFileSync(join(folder, 'data', 'standby.signal'), '');
        server = spawnServer(place, port);
        guardian.watch([server.pid]);
        if (!(await isReady(server, folder))) throw new Error(`start Postgres as a standby: it said\n${server.said}`);
      },
      stop: async () => {
        await server.stop('SIGINT');
        rmSync(folder, { recursive: true, force: true });
        await guardian.release();
      },
    };
  } catch (error) {
    await guardian.release();
    throw error;
  }
}

interface Place {
  readonly binaries: Binaries;
  readonly account: Account;
  readonly folder: string;
}

function originOf(env: NodeJS.ProcessEnv): Origin | undefined {
  const wanted = env['FLEETSHIFT_TEST_POSTGRES'];
  if (!wanted) return undefined;
  const origin = ORIGINS.find((known) => known === wanted);
  if (!origin) throw new Error(`FLEETSHIFT_TEST_POSTGRES is "${wanted}": use one of ${ORIGINS.join(', ')}`);
  return origin;
}

/** The first parent that the account can enter: root's temporary folder may be closed to other users. */
function makeFolder(account: Account): string {
  for (const parent of [tmpdir(), '/tmp', '/var/tmp']) {
    // A socket's path is limited to little more than 100 bytes.
    if (!existsSync(parent) || join(parent, 'fleetshift-postgres-XXXXXX', '.s.PGSQL.65535').length > 100) continue;
    const folder = mkdtempSync(join(parent, 'fleetshift-postgres-'));
    if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid);
    if (spawnSync('touch', [join(folder, 'reachable')], { ...account, cwd: '/', stdio: 'ignore' }).status === 0)
      return folder;
    rmSync(folder, { recursive: true });
  }
  throw new Error('make a folder for Postgres: the account that it runs as can write in no temporary folder');
}

function initialise({ binaries, account, folder, password }: Place & { password: string }): void {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account.uid !== undefined && account.gid !== undefined) chownSync(passwordFile, account.uid, account.gid);
  // DECISION: text sorts in linguistic order, not by bytes. An operator's database may do so, and a query that forgot to
  // request byte order would page differently there than on SQLite. With such a server the tests notice.
  const collation = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
  execFileSync(
    join(binaries.bin, 'initdb'),
    [
      '-D',
      join(folder, 'data'),
      '-U',
      USER,
      `--pwfile=${passwordFile}`,
      '-A',
      'scram-sha-256',
      '--no-sync',
      ...collation,
    ],
    { ...account, cwd: folder, env: serverEnv(), stdio: ['ignore', 'ignore', 'pipe'] },
  );
}

/** Another process may take the port before the server starts, so a few are tried. */
async function startOnFreePort(
  place: Place & { guardian: Guardian },
): Promise<{ server: ServerProcess; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const [port = 0] = await freePorts(1);
    const server = spawnServer(place, port);
    place.guardian.watch([server.pid]);
    if (await isReady(server, place.folder)) return { server, port };
    await server.stop('SIGINT');
    const { said } = server;
    if (attempt === 5 || !/could not (bind|create any TCP)/i.test(said)) {
      throw new Error(`start Postgres ${place.binaries.version} (${place.binaries.origin}): it said\n${said}`);
    }
  }
}

function spawnServer({ binaries, account, folder }: Place, port: number): ServerProcess {
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'max_connections=200'];
  return new ServerProcess({
    program: join(binaries.bin, 'postgres'),
    args: ['-D', join(folder, 'data'), '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    folder,
    log: join(folder, 'log'),
    env: serverEnv(),
    account,
  });
}

/** Excludes the caller's environment: a stray PGPORT or locale would change what is tested. */
function serverEnv(): NodeJS.ProcessEnv {
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

async function isReady(server: ServerProcess, folder: string): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!server.hasEnded && Date.now() < deadline) {
    // The last line of the server's pid file is its state.
    const file = join(folder, 'data', 'postmaster.pid');
    if (existsSync(file) && /^(ready|standby)\s*$/m.test(readFileSync(file, 'utf8'))) return true;
    await delay(20);
  }
  return false;
}
