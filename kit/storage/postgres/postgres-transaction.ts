import type pg from 'pg';
import type { Row, Transaction } from '../port.ts';
import type { Statement } from '../sql.ts';
import { guardFailed, StorageError } from '../storage-error.ts';
import { rowsOf, toQuery } from './postgres-connection.ts';
import { fromPostgres } from './postgres-errors.ts';

/** A body's view of its transaction. After an error it can only end: both engines behave alike. */
export class PostgresTransaction implements Transaction {
  readonly topics = new Set<string>();
  readonly #client: pg.ClientBase;
  /** The pending BEGIN that a write has to wait for, if any. */
  #begun: Promise<unknown> | undefined;
  /** A statement waits for BEGIN, so all later ones wait too: statements keep their order. */
  #isHeld = false;
  #over: StorageError | undefined;

  /** `begun` is the answer to BEGIN, if it may still be pending. */
  constructor(client: pg.ClientBase, begun?: Promise<unknown>) {
    this.#client = client;
    this.#begun = begun;
    begun?.then(
      () => {
        if (!this.#isHeld) this.#begun = undefined;
      },
      () => {},
    );
  }

  async all<R extends Row>(statement: Statement): Promise<R[]> {
    return rowsOf<R>(await this.#ask(statement));
  }

  async get<R extends Row>(statement: Statement): Promise<R | undefined> {
    return (await this.all<R>(statement))[0];
  }

  async run(statement: Statement): Promise<number> {
    return (await this.batch([statement]))[0] ?? 0;
  }

  async batch(statements: readonly Statement[]): Promise<number[]> {
    // All statements are sent before the first is answered; the first refused one determines the error.
    const answers = await Promise.allSettled(statements.map((statement) => this.#ask(statement)));
    const changes = answers.map((answer, index) => {
      if (answer.status === 'rejected') throw answer.reason;
      return this.#checked(answer.value.rowCount ?? 0, index, statements[index]);
    });
    for (const { topic } of statements) if (topic !== undefined) this.topics.add(topic);
    return changes;
  }

  /** Returns the error that the body may have swallowed: a transaction with an error cannot be committed. */
  end(): StorageError | undefined {
    const failed = this.#over;
    this.#over = new StorageError('CLOSED', 'the transaction has ended');
    return failed;
  }

  #checked(changed: number, index: number, statement: Statement | undefined): number {
    const expected = statement?.expected;
    if (expected === undefined || expected === changed) return changed;
    this.#over = guardFailed(index, expected, changed);
    throw this.#over;
  }

  async #ask(statement: Statement): Promise<pg.QueryResult> {
    await this.#untilBegun(statement);
    if (this.#over !== undefined) throw this.#over;
    try {
      return await this.#client.query(toQuery(statement));
    } catch (error) {
      this.#over ??= fromPostgres(error);
      throw this.#over;
    }
  }

  /**
   * Queries are sent together with the BEGIN. A write waits for the answer: without a transaction it would be committed
   * at once.
   */
  async #untilBegun({ parts }: Statement): Promise<void> {
    if (this.#begun === undefined || (!this.#isHeld && LOOKS.test(parts[0] ?? ''))) return;
    this.#isHeld = true;
    await this.#begun;
  }
}

const LOOKS = /^\s*SELECT\b/;
