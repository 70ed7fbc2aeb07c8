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
/** Twenty minutes at the maximum rate of the window. Refusals beyond that are lost, with an error in the log. */
const WAITING = 5_000;

/**
 * Writes refusals to the database in the background: a refused caller does not wait for it, and a flood of refusals does not
 * block it.
 */
export class RefusalWriter implements Runnable {
  readonly name = 'audit of refusals';
  readonly #deps: RefusalWriterDeps;
  readonly #window = new RefusalWindow();
  readonly #rounds: RepeatedRounds;
  #waiting: CountedRefusal[] = [];

  constructor(deps: RefusalWriterDeps) {
    const { sleep = realSleep, log } = deps;
    this.#deps = deps;
    this.#rounds = new RepeatedRounds({
      sleep,
      everyMs: LOOK_MS,
      round: (signal) => this.#round(signal),
      onTrouble: (err, retryInMs) => log.warn({ err, retryInMs }, 'refusals not written to the audit log; retrying'),
    });
  }

  take(entry: HttpEntry): void {
    this.#queue(this.#window.take(toRefusal(entry), this.#deps.clock.now()));
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

  #queue(refusals: readonly CountedRefusal[]): void {
    if (refusals.length === 0) return;
    const room = Math.max(0, WAITING - this.#waiting.length);
    if (refusals.length > room) {
      const dropped = refusals.slice(room).reduce((sum, { count }) => sum + count, 0);
      this.#deps.log.error(
        { dropped },
        'refusals dropped from the audit log: the database could not be written for too long',
      );
    }
    this.#waiting.push(...refusals.slice(0, room));
    this.#rounds.raise();
  }

  /** A commit with an unknown outcome is repeated: a duplicate is better than a loss. */
  async #write(signal: AbortSignal): Promise<void> {
    const batch = this.#waiting.slice(0, BATCH);
    const statements = await Promise.all(batch.map((refusal) => this.#statement(refusal)));
    await this.#deps.storage.commit(statements, signal);
    this.#waiting = this.#waiting.slice(batch.length);
  }

  async #statement({ params, ...refusal }: CountedRefusal): Promise<Statement> {
    const { scopes, newId } = this.#deps;
    const scope = await scopes.scopeOf({ params, resource: refusal.resource }, undefined);
    return insertArrival({ ...refusal, id: newId(), scope });
  }
}
