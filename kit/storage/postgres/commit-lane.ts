import pg from 'pg';
import type { Statement } from '../sql.ts';
import { StorageError } from '../storage-error.ts';
import { withinDeadline } from '../within-deadline.ts';
import { clientConfig, type PostgresAddress } from './postgres-connection.ts';
import { fromPostgres, RENEW_MS } from './postgres-errors.ts';
import { PostgresTransaction } from './postgres-transaction.ts';
import { retrying } from './retrying.ts';

/** Between the statements of a batch nothing is waited for. */
const IDLE_MS = 5_000;
const GROUP = 1_024;
const WAITING = 20_000;
const END_MS = 1_000;
/** A group belongs to many callers: no single caller may abort it. Its attempts and statements are bounded. */
const NEVER = new AbortController().signal;

export interface CommitLaneOptions {
  readonly address: PostgresAddress;
  onCommitted(topics: ReadonlySet<string>): void;
}

interface Job {
  readonly batch: readonly Statement[];
  readonly signal: AbortSignal;
  resolve(changes: number[]): void;
  reject(error: unknown): void;
}

/**
 * Writes the batches of many callers as one transaction with one disk sync, on a connection of its own, in the order of
 * the calls. All statements of a group are pipelined; only the commit waits for them.
 *
 * DECISION: no savepoint for each batch. A guard is checked here, after later batches have run, so a group with a bad
 * batch is rolled back and repeated in three parts: before it, it, after it. Bad batches are rare, whereas savepoints
 * would always cost.
 */
export class CommitLane {
  readonly #options: CommitLaneOptions;
  #client: Promise<pg.Client> | undefined;
  #connectedAt = 0;
  #jobs: Job[] = [];
  #serving: Promise<void> | undefined;
  #closed = false;

  constructor(options: CommitLaneOptions) {
    this.#options = options;
  }

  async commit(batch: readonly Statement[], signal: AbortSignal): Promise<number[]> {
    signal.throwIfAborted();
    if (this.#closed) throw new StorageError('CLOSED', 'the database is closed');
    if (this.#jobs.length >= WAITING) {
      throw new StorageError('OVERLOADED', `${WAITING} writes are waiting; try again later`);
    }
    return await new Promise<number[]>((resolve, reject) => {
      this.#jobs.push({ batch, signal, resolve, reject });
      // The check phase comes after every callback of this loop iteration, so that all its writes share a group.
      this.#serving ??= new Promise((served) => setImmediate(() => served(this.#serve())));
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#serving;
    const client = await this.#client?.catch(() => undefined);
    await client?.end();
  }

  async #serve(): Promise<void> {
    while (this.#jobs.length > 0) await this.#commitGroup(this.#jobs.splice(0, GROUP).filter(isStillWanted));
    this.#serving = undefined;
  }

  async #commitGroup(jobs: readonly Job[]): Promise<void> {
    if (jobs.length === 0) return;
    const attempt = { bad: undefined as number | undefined };
    try {
      const changes = await retrying(() => this.#tryGroup(jobs, attempt), NEVER);
      jobs.forEach((job, index) => {
        job.resolve(changes[index] ?? []);
      });
    } catch (error) {
      if (attempt.bad === undefined || jobs.length === 1) for (const job of jobs) job.reject(error);
      else await this.#commitAround(jobs, attempt.bad);
    }
  }

  async #commitAround(jobs: readonly Job[], bad: number): Promise<void> {
    await this.#commitGroup(jobs.slice(0, bad));
    await this.#commitGroup(jobs.slice(bad, bad + 1));
    await this.#commitGroup(jobs.slice(bad + 1));
  }

  async #tryGroup(jobs: readonly Job[], attempt: { bad: number | undefined }): Promise<number[][]> {
    attempt.bad = undefined;
    const client = await this.#connected();
    const tx = new PostgresTransaction(client);
    const began = client.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
    const answers = await Promise.allSettled([began, ...jobs.map((job) => tx.batch(job.batch))]);
    const changes = answers.slice(1).map((answer, index) => {
      if (answer.status === 'fulfilled') return answer.value as number[];
      attempt.bad ??= index;
      return [];
    });
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed !== undefined) {
      await client.query('ROLLBACK').catch(() => {});
      const error = fromPostgres(failed.reason);
      // These concern all batches alike.
      if (error.code === 'CONNECTION_LOST' || error.code === 'DATABASE_READ_ONLY') attempt.bad = undefined;
      if (error.code === 'CONNECTION_LOST' || this.#isDue(error)) await this.#discard(client);
      throw error;
    }
    await commitOn(client);
    if (tx.topics.size > 0) this.#options.onCommitted(tx.topics);
    return changes;
  }

  #isDue({ code }: StorageError): boolean {
    return code === 'DATABASE_READ_ONLY' && performance.now() - this.#connectedAt >= RENEW_MS;
  }

  async #discard(client: pg.Client): Promise<void> {
    this.#client = undefined;
    const ended = client.end().catch(() => {});
    await withinDeadline(ended, END_MS, NEVER).catch(() => {});
  }

  #connected(): Promise<pg.Client> {
    if (this.#client !== undefined) return this.#client;
    const connecting = this.#connect(() => {
      if (this.#client === connecting) this.#client = undefined;
    });
    this.#client = connecting;
    return connecting;
  }

  async #connect(forget: () => void): Promise<pg.Client> {
    const client = new pg.Client(clientConfig(this.#options.address, IDLE_MS));
    client.on('error', forget);
    client.on('end', forget);
    try {
      await client.connect();
      this.#connectedAt = performance.now();
      return client;
    } catch (error) {
      forget();
      throw fromPostgres(error);
    }
  }
}

/** Once COMMIT is sent, a broken connection leaves it unknown whether the commit succeeded. */
export async function commitOn(client: pg.ClientBase): Promise<void> {
  try {
    const result = await client.query('COMMIT');
    if (result.command === 'ROLLBACK') throw new StorageError('STATEMENT_REFUSED', 'Postgres rolled back at commit');
  } catch (error) {
    const translated = fromPostgres(error);
    if (translated.code !== 'CONNECTION_LOST') throw translated;
    throw new StorageError('OUTCOME_UNKNOWN', 'the connection broke during the commit; read before you write again', {
      cause: translated,
    });
  }
}

function isStillWanted(job: Job): boolean {
  if (job.signal.aborted) job.reject(job.signal.reason);
  return !job.signal.aborted;
}
