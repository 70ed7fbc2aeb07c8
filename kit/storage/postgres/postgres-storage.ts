import pg from 'pg';
import { Announcements } from '../announcements.ts';
import type { MigrationModule } from '../migrations.ts';
import type { Reader, Row, Storage, Transaction } from '../port.ts';
import type { Statement } from '../sql.ts';
import { StorageError } from '../storage-error.ts';
import { withinDeadline } from '../within-deadline.ts';
import { CommitLane, commitOn } from './commit-lane.ts';
import { clientConfig, type PostgresAddress, rowsOf, toQuery } from './postgres-connection.ts';
import { fromPostgres, RENEW_MS } from './postgres-errors.ts';
import { channelOf, PostgresListener } from './postgres-listener.ts';
import { migratePostgres } from './postgres-migrations.ts';
import { PostgresTransaction } from './postgres-transaction.ts';
import { retrying } from './retrying.ts';

export interface PostgresOptions {
  readonly url: string;
  readonly modules: readonly MigrationModule[];
  /** The schema that holds our tables; created if it does not exist. */
  readonly schema?: string;
  readonly connections?: number;
  readonly connectTimeoutMs?: number;
  /** Time limit of one body. */
  readonly transactionTimeoutMs?: number;
}

/** Migrates the tables, then opens the pool. */
export async function openPostgres(options: PostgresOptions, signal: AbortSignal): Promise<Storage> {
  signal.throwIfAborted();
  const { url, modules, schema = 'fleetshift', connections = 10 } = options;
  const { connectTimeoutMs = 5_000, transactionTimeoutMs = 10_000 } = options;
  if (!/^[a-z][a-z0-9_]*$/.test(schema)) throw new TypeError(`not a schema name: ${schema}`);
  const address = { url, schema, connectTimeoutMs, statementTimeoutMs: 60_000 };
  await migratePostgres(address, modules, signal);
  return new PostgresStorage({ address, connections, transactionTimeoutMs });
}

interface StorageOptions {
  readonly address: PostgresAddress;
  readonly connections: number;
  readonly transactionTimeoutMs: number;
}

class PostgresStorage implements Storage {
  readonly engine = 'postgres';
  readonly #pool: pg.Pool;
  readonly #lane: CommitLane;
  readonly #announcements = new Announcements();
  readonly #listener: PostgresListener;
  readonly #channel: string;
  readonly #transactionTimeoutMs: number;
  /** Connections made since they were last renewed. */
  #current = new WeakSet<pg.ClientBase>();
  #renewedAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor({ address, connections, transactionTimeoutMs }: StorageOptions) {
    this.#pool = new pg.Pool({ ...clientConfig(address), max: connections });
    // A broken connection leaves the pool by itself, and its pending query is rejected: there is nothing more to do.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => {
      client.on('error', () => {});
      this.#current.add(client);
    });
    this.#lane = new CommitLane({ address, onCommitted: (topics) => this.#announcements.tell(topics) });
    this.#listener = new PostgresListener(address, this.#announcements);
    this.#channel = channelOf(address);
    this.#transactionTimeoutMs = transactionTimeoutMs;
  }

  async all<R extends Row>(statement: Statement, signal: AbortSignal): Promise<R[]> {
    this.#checkOpen(signal);
    return await retrying(async () => {
      return rowsOf<R>(await this.#query(toQuery(statement)));
    }, signal);
  }

  async get<R extends Row>(statement: Statement, signal: AbortSignal): Promise<R | undefined> {
    return (await this.all<R>(statement, signal))[0];
  }

  async read<T>(body: (reader: Reader) => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#checkOpen(signal);
    const attempt = { begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', body, signal };
    return await retrying(() => this.#transact(attempt), signal);
  }

  async write<T>(body: (tx: Transaction) => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#checkOpen(signal);
    return await retrying(() => this.#transact({ begin: 'BEGIN ISOLATION LEVEL SERIALIZABLE', body, signal }), signal);
  }

  async commit(batch: readonly Statement[], signal: AbortSignal): Promise<number[]> {
    return await this.#lane.commit(batch, signal);
  }

  onAnnounced(topic: string, listener: () => void): () => void {
    this.#listener.start();
    return this.#announcements.listen(topic, listener);
  }

  async announce(topic: string, signal: AbortSignal): Promise<void> {
    this.#checkOpen(signal);
    await this.#query({ text: 'SELECT pg_notify($1, $2)', values: [this.#channel, topic] });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#lane.close();
    await this.#listener.close();
    await this.#pool.end();
  }

  #checkOpen(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (this.#closed) throw new StorageError('CLOSED', 'the database is closed');
  }

  async #transact<T>({ begin, body, signal }: Attempt<T>): Promise<T> {
    const client = await this.#borrow();
    const begun = client.query(begin).catch((error: unknown) => Promise.reject(fromPostgres(error)));
    const tx = new PostgresTransaction(client, begun);
    let keep = false;
    try {
      const [value] = await withinDeadline(Promise.all([body(tx), begun]), this.#transactionTimeoutMs, signal);
      const swallowed = tx.end();
      if (swallowed !== undefined) throw swallowed;
      await commitOn(client);
      keep = true;
      this.#announcements.tell(tx.topics);
      return value;
    } catch (error) {
      const swallowed = tx.end();
      keep = !this.#isSpoiled(error) && !this.#isSpoiled(swallowed) && (await rolledBack(client));
      throw error;
    } finally {
      client.release(!keep);
    }
  }

  async #query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    const client = await this.#borrow();
    let keep = true;
    try {
      return await client.query(query);
    } catch (error) {
      const translated = fromPostgres(error);
      keep = !this.#isSpoiled(translated);
      throw translated;
    } finally {
      client.release(!keep);
    }
  }

  /**
   * Whether the connection is discarded. A read-only server makes all connections suspect, not only the one that noticed;
   * while it lasts they are renewed now and then, not with each refused write.
   */
  #isSpoiled(error: unknown): boolean {
    if (!(error instanceof StorageError)) return false;
    if (error.code === 'DATABASE_READ_ONLY' && performance.now() - this.#renewedAt >= RENEW_MS) {
      this.#renewedAt = performance.now();
      this.#current = new WeakSet();
    }
    return error.code === 'CONNECTION_LOST';
  }

  async #borrow(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await this.#connect();
      if (this.#current.has(client)) return client;
      client.release(true);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw fromPostgres(error);
    }
  }
}

interface Attempt<T> {
  readonly begin: string;
  readonly signal: AbortSignal;
  readonly body: (tx: Transaction) => Promise<T>;
}

/** A connection that cannot roll back is discarded; one with a runaway query is not waited for. */
async function rolledBack(client: pg.ClientBase): Promise<boolean> {
  try {
    await withinDeadline(client.query('ROLLBACK'), 1_000, AbortSignal.timeout(1_000));
    return true;
  } catch {
    return false;
  }
}
