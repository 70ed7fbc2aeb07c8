import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import { Client } from 'pg';
import { assertNever } from '#kit/std';
import { ENGINES, type Engine, type MigrationModule, openPostgres, openSqlite, type Storage } from '#kit/storage';
import { PATIENCE_MS } from './patience.ts';
import { startPostgres } from './postgres.ts';

/** An empty, real database for one test. */
export type TestDatabase = (
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'postgres'; readonly url: string }
) & {
  /**
   * Opens the database with the tables of these modules. A later call opens it again, on Postgres also while the first is
   * still open.
   */
  open(modules: readonly MigrationModule[]): Promise<Storage>;
  /** Closes everything still open, and removes the database. */
  dispose(): Promise<void>;
};

/** The engines to test on. `FLEETSHIFT_TEST_DATABASES=sqlite` narrows it, for a quick check while working. */
export const DATABASES: readonly Engine[] = chosenEngines(process.env['FLEETSHIFT_TEST_DATABASES']);

/**
 * Runs the same suite once per engine: `eachDatabase('cursors', (fresh) => { it(..., async () => { const db = await
 * fresh(); ... }) })`.
 */
export function eachDatabase(name: string, suite: (fresh: () => Promise<TestDatabase>, engine: Engine) => void): void {
  for (const engine of DATABASES) describe(`${name} on ${engine}`, () => suite(() => freshDatabase(engine), engine));
}

export async function freshDatabase(engine: Engine): Promise<TestDatabase> {
  switch (engine) {
    case 'sqlite':
      return await freshSqlite();
    case 'postgres':
      return await freshPostgres();
    default:
      return assertNever(engine, 'engine');
  }
}

async function freshSqlite(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-sqlite-'));
  const file = join(folder, 'database.sqlite');
  const opened = openedOnes((modules) => openSqlite({ file, modules }, AbortSignal.timeout(PATIENCE_MS)));
  return {
    engine: 'sqlite',
    file,
    open: opened.open,
    dispose: async () => {
      await opened.closeAll();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freshPostgres(): Promise<TestDatabase> {
  const server = await postgresUrl();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asAdmin(server, `CREATE DATABASE ${name}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const opened = openedOnes((modules) => openPostgres({ url, modules }, AbortSignal.timeout(PATIENCE_MS)));
  return {
    engine: 'postgres',
    url,
    open: opened.open,
    dispose: async () => {
      await opened.closeAll();
      await asAdmin(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

function openedOnes(open: TestDatabase['open']) {
  const storages: Storage[] = [];
  return {
    open: async (modules: readonly MigrationModule[]): Promise<Storage> => {
      const storage = await open(modules);
      storages.push(storage);
      return storage;
    },
    /** Tests may break a storage so that it cannot close properly; its database is removed all the same. */
    closeAll: async (): Promise<void> => {
      await Promise.allSettled(storages.splice(0).map((storage) => storage.close()));
    },
  };
}

let started: Promise<string> | undefined;

/**
 * The server started by the test runner for all test processes. A test file run by hand starts its own, which ends with
 * the process.
 */
async function postgresUrl(): Promise<string> {
  const shared = process.env['FLEETSHIFT_TEST_POSTGRES_URL'];
  if (shared) return shared;
  started ??= startPostgres().then((server) => server.url);
  return await started;
}

async function asAdmin(url: string, command: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(command);
  } finally {
    await client.end();
  }
}

function chosenEngines(wanted: string | undefined): readonly Engine[] {
  if (!wanted) return ENGINES;
  const names = wanted.split(',');
  const unknown = names.filter((name) => !ENGINES.some((engine) => engine === name));
  if (unknown.length > 0)
    throw new Error(`FLEETSHIFT_TEST_DATABASES names ${unknown.join(', ')}: use ${ENGINES.join(', ')}`);
  return ENGINES.filter((engine) => names.includes(engine));
}
