import { backoffDelay, type Clock, FleetError, foreignText, Notifier, type Sleep } from '#kit/std';
import type { Storage } from '../port.ts';
import { type Statement, sql } from '../sql.ts';

const DEAD_LETTER_SOURCES = ['status', 'index'] as const;
/** The kind of message that could not be processed. */
export type DeadLetterSource = (typeof DEAD_LETTER_SOURCES)[number];

/** That a message was set aside, and why. The message itself is not kept: agents may quote secrets in it. */
export interface SetAside {
  readonly source: DeadLetterSource;
  /** The sender, as the API writes it: `targets/<uid>`. */
  readonly subject: string;
  readonly error: unknown;
}

/** The stored row for one sender and one kind of error. */
export interface DeadLetterSummary {
  readonly source: string;
  readonly subject: string;
  readonly code: string;
  readonly messages: number;
  readonly lastError: string;
  readonly firstTime: number;
  readonly lastTime: number;
}

export interface DeadLetterBoxDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** Called once per write for each sender and kind of error, with the number of messages. */
  readonly onStored: (letter: DeadLetterSummary) => void;
  readonly onTrouble: (error: unknown) => void;
}

const LONGEST_ERROR = 500;
const LONGEST_SUBJECT = 300;
/** Limit of pending pairs of sender and error. Messages of further senders are counted together, as of `OTHERS`. */
const MOST_PENDING = 10_000;
export const OTHERS = 'others';
/** Messages within this time are stored together. */
const GATHER_MS = 500;
const IDLE_MS = 60_000;
const AT_ONCE = 500;
const RETRY = { baseMs: 500, capMs: 10_000 };

/**
 * Messages that can never be processed, by sender. Callers do not wait for storage: `add` only remembers a message, and
 * `run` stores the remembered ones in batches.
 */
export class DeadLetterBox {
  readonly #deps: DeadLetterBoxDeps;
  readonly #wake: Notifier;
  #pending = new Map<string, DeadLetterSummary>();

  constructor(deps: DeadLetterBoxDeps) {
    this.#deps = deps;
    this.#wake = new Notifier(deps.sleep);
  }

  add({ source, subject, error }: SetAside): void {
    const now = this.#deps.clock.now();
    const code = codeOf(error);
    const own = foreignText(subject, LONGEST_SUBJECT);
    const isFull = this.#pending.size >= MOST_PENDING && !this.#pending.has(keyOf({ source, code, subject: own }));
    const about = { source, code, subject: isFull ? OTHERS : own };
    const key = keyOf(about);
    const known = this.#pending.get(key);
    this.#pending.set(key, {
      ...about,
      messages: (known?.messages ?? 0) + 1,
      lastError: foreignText(textOf(error), LONGEST_ERROR),
      firstTime: known?.firstTime ?? now,
      lastTime: now,
    });
    this.#wake.notify();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#wake.wait(IDLE_MS, signal).catch(() => {});
      if (this.#pending.size === 0) continue;
      await this.#deps.sleep(GATHER_MS, signal).catch(() => {});
      await this.#store(signal);
    }
  }

  async #store(signal: AbortSignal): Promise<void> {
    const { storage, sleep, onStored, onTrouble } = this.#deps;
    for (let attempt = 1; this.#pending.size > 0 && !signal.aborted; attempt += 1) {
      const some = [...this.#pending].slice(0, AT_ONCE);
      for (const [key] of some) this.#pending.delete(key);
      try {
        await storage.commit(
          some.map(([, letter]) => upsert(letter)),
          signal,
        );
        for (const [, letter] of some) onStored(letter);
        attempt = 0;
      } catch (error) {
        for (const [key, letter] of some) this.#pending.set(key, joined(letter, this.#pending.get(key)));
        if (signal.aborted) return;
        onTrouble(error);
        await sleep(backoffDelay(RETRY, attempt, Math.random), signal).catch(() => {});
      }
    }
  }
}

/** Newest first. */
export async function listDeadLetters(
  storage: Pick<Storage, 'all'>,
  { source, limit }: { readonly source: DeadLetterSource; readonly limit: number },
  signal: AbortSignal,
): Promise<readonly DeadLetterSummary[]> {
  const rows = await storage.all(
    sql`SELECT source, subject, code, messages, last_error, first_time, last_time FROM dead_letters
      WHERE source = ${source} ORDER BY last_time DESC, subject, code LIMIT ${limit}`,
    signal,
  );
  return rows.map((row) => ({
    source: String(row['source']),
    subject: String(row['subject']),
    code: String(row['code']),
    messages: Number(row['messages']),
    lastError: String(row['last_error']),
    firstTime: Number(row['first_time']),
    lastTime: Number(row['last_time']),
  }));
}

/** Deletes the rows without messages since then; resolves to their number. */
export async function purgeDeadLetters(storage: Storage, olderThan: number, signal: AbortSignal): Promise<number> {
  return (await storage.commit([sql`DELETE FROM dead_letters WHERE last_time < ${olderThan}`], signal)).at(0) ?? 0;
}

function upsert({ source, subject, code, messages, lastError, firstTime, lastTime }: DeadLetterSummary): Statement {
  return sql`INSERT INTO dead_letters (source, subject, code, messages, last_error, last_payload, first_time, last_time)
    VALUES (${source}, ${subject}, ${code}, ${messages}, ${lastError}, ${''}, ${firstTime}, ${lastTime})
    ON CONFLICT (source, subject, code) DO UPDATE SET messages = dead_letters.messages + excluded.messages,
      last_error = excluded.last_error, last_time = excluded.last_time`;
}

function joined(before: DeadLetterSummary, since: DeadLetterSummary | undefined): DeadLetterSummary {
  if (since === undefined) return before;
  return { ...since, messages: before.messages + since.messages, firstTime: before.firstTime };
}

function keyOf({ source, code, subject }: { source: string; code: string; subject: string }): string {
  return `${source} ${code} ${subject}`;
}

/** Of the cause only its code: what a decoder says may quote the message. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${codeOf(error.cause)})`;
}

function codeOf(error: unknown): string {
  if (error instanceof FleetError) return String(error.code);
  return error instanceof Error ? error.name : 'Error';
}
