import type { Transaction } from '../port.ts';
import type { Statement } from '../sql.ts';
import { StorageError } from '../storage-error.ts';
import { withinDeadline } from '../within-deadline.ts';
import { faultOf, SqliteTransaction } from './sqlite-transaction.ts';
import type { WriterReply } from './writer-protocol.ts';
import { type WriterSession, WriterTurn } from './writer-session.ts';

/**
 * A turn ends when the queue is empty, and at the latest after this many jobs or this time, so that the first job does
 * not wait long.
 */
const TURN_JOBS = 1_024;
const TURN_MS = 50;
/** Batches per request: the writer works on one request while the next is being serialized. */
const PART_JOBS = 128;

/** With more waiting jobs than this, further writes are refused at once. */
const WAITING_JOBS = 20_000;

export interface WriterOptions {
  openSession(): Promise<WriterSession>;
  readonly transactionTimeoutMs: number;
  onCommitted(topics: ReadonlySet<string>): void;
}

interface Waiting {
  readonly signal: AbortSignal;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Reported when the turn is on disk, not before. */
  outcome?: { readonly kind: 'done'; readonly value: unknown } | { readonly kind: 'failed'; readonly error: unknown };
}

interface BatchJob extends Waiting {
  readonly kind: 'batch';
  readonly batch: readonly Statement[];
}

interface BodyJob extends Waiting {
  readonly kind: 'body';
  body(tx: Transaction): Promise<unknown>;
}

type Job = BatchJob | BodyJob;

interface Turn {
  readonly writer: WriterTurn;
  readonly begun: number;
  readonly jobs: Job[];
  readonly topics: Set<string>;
}

/**
 * The single writer. Jobs wait in a queue and are served in turns; a turn is one SQLite transaction with one disk sync,
 * for any number of callers.
 */
export class SqliteWriter {
  readonly #options: WriterOptions;
  #session: WriterSession | undefined;
  #jobs: Job[] = [];
  #serving: Promise<void> | undefined;
  #closed = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#session = await this.#options.openSession();
  }

  // The type of a job's result is lost in the queue and restored here.
  commit(batch: readonly Statement[], signal: AbortSignal): Promise<number[]> {
    return new Promise<unknown>((resolve, reject) =>
      this.#enqueue({ kind: 'batch', batch, signal, resolve, reject }),
    ) as Promise<number[]>;
  }

  transact<T>(body: (tx: Transaction) => Promise<T>, signal: AbortSignal): Promise<T> {
    return new Promise<unknown>((resolve, reject) =>
      this.#enqueue({ kind: 'body', body, signal, resolve, reject }),
    ) as Promise<T>;
  }

  /** Accepts no new jobs, and finishes the accepted ones. */
  async drain(): Promise<void> {
    this.#closed = true;
    await this.#serving;
  }

  async close(): Promise<void> {
    await this.drain();
    await this.#session?.close();
  }

  #enqueue(job: Job): void {
    if (job.signal.aborted) return job.reject(job.signal.reason);
    if (this.#closed) return job.reject(new StorageError('CLOSED', 'the database is closed'));
    if (this.#jobs.length >= WAITING_JOBS) {
      return job.reject(new StorageError('OVERLOADED', `${WAITING_JOBS} writes are waiting; try again later`));
    }
    this.#jobs.push(job);
    // The check phase comes after every callback of this loop iteration, so that all its writes share the turn.
    this.#serving ??= new Promise((resolve) => setImmediate(() => resolve(this.#serve())));
  }

  async #serve(): Promise<void> {
    while (this.#jobs.length > 0) await this.#takeTurn();
    this.#serving = undefined;
  }

  async #takeTurn(): Promise<void> {
    const session = await this.#liveSession();
    if (session === undefined) return;
    const turn: Turn = { writer: new WriterTurn(session), begun: Date.now(), jobs: [], topics: new Set() };
    try {
      let committed = false;
      while (!committed) committed = await this.#serveNext(turn);
    } catch (error) {
      for (const job of turn.jobs) job.reject(job.outcome?.kind === 'failed' ? job.outcome.error : error);
      return;
    }
    if (turn.topics.size > 0) this.#options.onCommitted(turn.topics);
    for (const job of turn.jobs) tell(job);
  }

  /** Returns the current thread or starts a new one. If that fails, the waiting jobs are rejected. */
  async #liveSession(): Promise<WriterSession | undefined> {
    try {
      if (this.#session === undefined || this.#session.isLost) await this.start();
      return this.#session;
    } catch (error) {
      for (const job of this.#jobs.splice(0)) job.reject(error);
      return undefined;
    }
  }

  /** Serves the head of the queue; returns true when the turn is committed. */
  async #serveNext(turn: Turn): Promise<boolean> {
    const head = this.#jobs[0];
    if (head?.kind === 'batch') return await this.#serveBatches(turn);
    if (head?.kind === 'body') {
      this.#jobs.shift();
      await this.#serveBody(turn, head);
    }
    if (this.#mayGoOn(turn)) return false;
    await turn.writer.ask({ kind: 'none' }, true);
    return true;
  }

  async #serveBatches(turn: Turn): Promise<boolean> {
    const jobs = this.#takeBatches(TURN_JOBS - turn.jobs.length);
    for (const job of jobs) turn.jobs.push(job);
    const last = !this.#mayGoOn(turn);
    const parts = inParts(jobs, PART_JOBS);
    const replies = await Promise.all(
      parts.map((part, index) =>
        turn.writer.ask({ kind: 'batches', batches: part.map((job) => job.batch) }, last && index === parts.length - 1),
      ),
    );
    parts.forEach((part, index) => {
      recordOutcomes(part, replies[index] ?? [], turn.topics);
    });
    return last;
  }

  /**
   * Takes batches from the head of the queue. A caller that aborted while waiting is rejected, and its batch is not
   * written.
   */
  #takeBatches(room: number): BatchJob[] {
    const jobs: BatchJob[] = [];
    let taken = 0;
    for (let job = this.#jobs[0]; job?.kind === 'batch' && jobs.length < room; job = this.#jobs[++taken]) {
      if (job.signal.aborted) job.reject(job.signal.reason);
      else jobs.push(job);
    }
    this.#jobs = taken === this.#jobs.length ? [] : this.#jobs.slice(taken);
    return jobs;
  }

  async #serveBody(turn: Turn, job: BodyJob): Promise<void> {
    turn.jobs.push(job);
    const tx = new SqliteTransaction(turn.writer);
    try {
      job.signal.throwIfAborted();
      const value = await withinDeadline(job.body(tx), this.#options.transactionTimeoutMs, job.signal);
      await tx.end(true);
      for (const topic of tx.topics) turn.topics.add(topic);
      job.outcome = { kind: 'done', value };
    } catch (error) {
      if (tx.lost) throw error;
      await tx.end(false);
      job.outcome = { kind: 'failed', error };
    }
  }

  #mayGoOn(turn: Turn): boolean {
    return this.#jobs.length > 0 && turn.jobs.length < TURN_JOBS && Date.now() - turn.begun < TURN_MS;
  }
}

/** At least one part: the committing request must be sent even if nothing is left to write. */
function inParts<T>(items: readonly T[], size: number): T[][] {
  const parts = [items.slice(0, size)];
  for (let from = size; from < items.length; from += size) parts.push(items.slice(from, from + size));
  return parts;
}

function recordOutcomes(jobs: readonly BatchJob[], reply: WriterReply, topics: Set<string>): void {
  let at = 0;
  jobs.forEach((job, index) => {
    const outcome = 'outcomes' in reply ? reply.outcomes[index] : undefined;
    if (outcome !== undefined && outcome.kind !== 'done') {
      job.outcome = { kind: 'failed', error: faultOf(outcome) };
      return;
    }
    const value = outcome?.changes ?? ('outcomes' in reply ? [] : reply.slice(at, at + job.batch.length));
    at += job.batch.length;
    job.outcome = { kind: 'done', value };
    for (const { topic } of job.batch) if (topic !== undefined) topics.add(topic);
  });
}

function tell({ outcome, resolve, reject }: Job): void {
  if (outcome?.kind === 'done') resolve(outcome.value);
  else reject(outcome?.error);
}
