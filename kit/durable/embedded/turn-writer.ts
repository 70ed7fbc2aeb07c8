import { type Statement, type Storage, StorageError } from '#kit/storage';
import { deleteMail } from './journal-statements.ts';
import type { LiveRun, TurnResult } from './live-run.ts';

export interface Turn {
  readonly run: LiveRun;
  readonly result: TurnResult;
}

export interface Written {
  readonly written: readonly Turn[];
  /** Turns that the database refuses, whatever is tried. */
  readonly refused: readonly { readonly run: LiveRun; readonly error: StorageError }[];
}

/** Errors caused by the statements, not by the database. */
const REFUSALS: ReadonlySet<string> = new Set([
  'STATEMENT_REFUSED',
  'CHECK_VIOLATED',
  'UNIQUE_VIOLATED',
  'REFERENCE_VIOLATED',
]);

/** Writes the turns of many workflows as one batch, under the epoch of this executor. */
export class TurnWriter {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async write(common: readonly Statement[], turns: readonly Turn[], signal: AbortSignal): Promise<Written> {
    const taken = takenMail(turns.flatMap(({ result }) => result.mail));
    const all = [...common, ...taken, ...turns.flatMap(({ result }) => result.statements)];
    const error = await this.#commit(all, signal);
    return error === undefined ? { written: turns, refused: [] } : await this.#oneByOne(common, turns, signal);
  }

  /**
   * At least one turn cannot be written. Writes them one by one to find it; the others are written. A refused turn
   * keeps its mail.
   */
  async #oneByOne(common: readonly Statement[], turns: readonly Turn[], signal: AbortSignal): Promise<Written> {
    const refusal = await this.#commit(common, signal);
    if (refusal !== undefined) throw refusal;
    const written: Turn[] = [];
    const refused: { run: LiveRun; error: StorageError }[] = [];
    for (const turn of turns) {
      const error = await this.#commit([...takenMail(turn.result.mail), ...turn.result.statements], signal);
      if (error === undefined) written.push(turn);
      else refused.push({ run: turn.run, error });
    }
    return { written, refused };
  }

  /** Returns the error if the statements were refused; throws all other errors. */
  async #commit(statements: readonly Statement[], signal: AbortSignal): Promise<StorageError | undefined> {
    try {
      await this.#storage.commit(statements, signal);
      return undefined;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      if (!REFUSALS.has(error.code)) throw error;
      return error;
    }
  }
}

function takenMail(mail: readonly number[]): readonly Statement[] {
  return mail.length === 0 ? [] : [deleteMail(mail)];
}
