import type { Row, Transaction } from '../port.ts';
import type { Statement } from '../sql.ts';
import { guardFailed, StorageError } from '../storage-error.ts';
import { fromSqlite } from './sqlite-errors.ts';
import type { BatchOutcome, WriterCall, WriterReply } from './writer-protocol.ts';
import type { WriterTurn } from './writer-session.ts';

/** A body's view of the writer. After an error it can only end: both engines behave alike. */
export class SqliteTransaction implements Transaction {
  readonly topics = new Set<string>();
  readonly #turn: WriterTurn;
  #open = false;
  #over: Error | undefined;
  /** The writer turn was lost: there is nothing left to roll back. */
  lost = false;

  constructor(turn: WriterTurn) {
    this.#turn = turn;
  }

  async all<R extends Row>(statement: Statement): Promise<R[]> {
    const reply = await this.#part('query', [statement]);
    return ('rows' in reply ? [...reply.rows] : []) as R[];
  }

  async get<R extends Row>(statement: Statement): Promise<R | undefined> {
    return (await this.all<R>(statement))[0];
  }

  async run(statement: Statement): Promise<number> {
    return (await this.batch([statement]))[0] ?? 0;
  }

  async batch(statements: readonly Statement[]): Promise<number[]> {
    const reply = await this.#part('statements', statements);
    for (const { topic } of statements) if (topic !== undefined) this.topics.add(topic);
    const outcome = firstOutcome(reply);
    return outcome?.kind === 'done' ? [...outcome.changes] : [];
  }

  /** Called by the writer when the body is finished; further statements of a runaway body are refused. */
  async end(keep: boolean): Promise<void> {
    const failed = this.#over;
    this.#over = new StorageError('CLOSED', 'the transaction has ended');
    if (keep && failed !== undefined) throw failed;
    if (this.#open && !this.lost) await this.#guarded({ kind: 'end', keep });
    this.#open = false;
  }

  async #part(kind: 'statements' | 'query', statements: readonly Statement[]): Promise<WriterReply> {
    if (this.#over !== undefined) throw this.#over;
    const open = !this.#open;
    this.#open = true;
    const reply = await this.#guarded({ kind, open, statements });
    const outcome = firstOutcome(reply);
    if (outcome?.kind === 'fault' || outcome?.kind === 'guard') {
      this.#over = faultOf(outcome);
      throw this.#over;
    }
    return reply;
  }

  async #guarded(work: WriterCall): Promise<WriterReply> {
    try {
      return await this.#turn.ask(work, false);
    } catch (error) {
      this.lost = true;
      throw error;
    }
  }
}

function firstOutcome(reply: WriterReply): BatchOutcome | undefined {
  return 'outcomes' in reply ? reply.outcomes[0] : undefined;
}

export function faultOf(outcome: Exclude<BatchOutcome, { kind: 'done' }>): StorageError {
  if (outcome.kind === 'fault') return fromSqlite(outcome.fault);
  return guardFailed(outcome.statement, outcome.expected, outcome.changed);
}
