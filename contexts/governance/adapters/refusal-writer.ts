import type { AuditEntry as HttpEntry } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import { type Clock, sleep as realSleep, type Sleep, type Uuid } from '#kit/std';
import type { Statement, Storage } from '#kit/storage';
import type { Logger } from '#kit/telemetry';
import { type CountedRefusal, RefusalWindow } from '../domain/refusal-window.ts';
import { insertArrival } from './audit-row.ts';
import type { AuditScopes } from './audit-scopes.ts';
import { toRefusal } from './http-refusal.ts';
import { RepeatedRounds } from './repeated-rounds.ts';

export interface RefusalWriterDeps {
  readonly storage: Storage;
  readonly scopes: AuditScopes;
  readonly log: Logger;
  readonly clock: Clock;
  readonly sleep?: Sleep;
  readonly newId: () => Uuid;
}

const LOOK_MS = 1_000;
const LAST_MS = 2_000;
const BATCH = 100;
/** Ten minutes at the maximum rate of the window. Refusals beyond that are lost, with an error in the log. */
const WAITING = 5_000;
/** How long a refused caller waits for an entry. A database that is slower than that does not hold up refusals. */
const DURABLE_MS = 1_000;

const NOTHING = (): void => {};

interface Waiting {
  readonly refusal: CountedRefusal;
  readonly written: () => void;
}

/**
 * Writes refusals to the database in batches. The caller is answered when the first refusal of a kind is durable, so that a
 * killed process loses no details; the window bounds these writes, so that a flood does not fill the disk. Counts of repeated
 * refusals are in memory until their minute is over. (ADR-0055)
 */
export class RefusalWriter implements Runnable {
  readonly name = 'audit of refusals';
  readonly #deps: RefusalWriterDeps;
  readonly #window = new RefusalWindow();
  readonly #rounds: RepeatedRounds;
  #waiting: Waiting[] = [];
  readonly #sleep: Sleep;

  constructor(deps: RefusalWriterDeps) {
    const { sleep = realSleep, log } = deps;
    this.#deps = deps;
    this.#sleep = sleep;
    this.#rounds = new RepeatedRounds({
      sleep,
      everyMs: LOOK_MS,
      round: (signal) => this.#round(signal),
      onTrouble: (err, retryInMs) => log.warn({ err, retryInMs }, 'refusals not written to the audit log; retrying'),
    });
  }

  /** Resolves when its entry is durable, at once if it is only counted, and in any case after a second. */
  async take(entry: HttpEntry): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const isQueued = this.#queue(this.#window.take(toRefusal(entry), this.#deps.clock.now()), resolve);
    if (!isQueued) return;
    const inTime = new AbortController();
    await Promise.race([promise, this.#sleep(DURABLE_MS, inTime.signal).catch(() => {})]);
    inTime.abort();
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#rounds.run(signal);
    this.#queue(this.#window.end());
    const last = AbortSignal.timeout(LAST_MS);
    while (this.#waiting.length > 0) await this.#write(last);
  }

  async #round(signal: AbortSignal): Promise<boolean> {
    this.#queue(this.#window.close(this.#deps.clock.now()));
    if (this.#waiting.length > 0) await this.#write(signal);
    return this.#waiting.length > 0;
  }

  /** Calls `written` when the last of them is written. False if there are none, or no room for them. */
  #queue(refusals: readonly CountedRefusal[], written: () => void = NOTHING): boolean {
    if (refusals.length === 0) return false;
    const room = Math.max(0, WAITING - this.#waiting.length);
    if (refusals.length > room) {
      const dropped = refusals.slice(room).reduce((sum, { count }) => sum + count, 0);
      this.#deps.log.error(
        { dropped },
        'refusals dropped from the audit log: the database could not be written for too long',
      );
    }
    const queued = refusals.slice(0, room);
    this.#waiting.push(
      ...queued.map((refusal) => ({ refusal, written: refusal === queued.at(-1) ? written : NOTHING })),
    );
    this.#rounds.raise();
    return queued.length > 0;
  }

  /** A commit with an unknown outcome is repeated: a duplicate is better than a loss. */
  async #write(signal: AbortSignal): Promise<void> {
    const batch = this.#waiting.slice(0, BATCH);
    const statements = await Promise.all(batch.map(({ refusal }) => this.#statement(refusal)));
    await this.#deps.storage.commit(statements, signal);
    this.#waiting = this.#waiting.slice(batch.length);
    for (const { written } of batch) written();
  }

  async #statement({ params, ...refusal }: CountedRefusal): Promise<Statement> {
    const { scopes, newId } = this.#deps;
    const scope = await scopes.scopeOf({ params, resource: refusal.resource }, undefined);
    return insertArrival({ ...refusal, id: newId(), scope });
  }
}
