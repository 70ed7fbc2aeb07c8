import { inPieces, type Uuid } from '#kit/std';
import { sql, type Transaction } from '#kit/storage';
import type {
  RolloutKey,
  RolloutOpening,
  RolloutSnapshot,
  RolloutStore,
  RolloutTurn,
} from '../../application/ports.ts';
import type { RolloutEvent } from '../../domain/rollout/machine/rollout-event.ts';
import type { RolloutState } from '../../domain/rollout/machine/rollout-state.ts';
import { SqlStore } from './sql-store.ts';

/** The opening is stored as the turn before the first. */
const OPENING = 0;
/** Events per row of the inbox; `take` always takes whole rows. */
const POSTED = 500;

export interface RolloutStoreDeps {
  /** Ids must be ascending, which keeps events in order. */
  readonly newId: () => Uuid;
}

/** The body of a stored turn. Its names outlive those of the code. */
interface StoredTurn extends Omit<RolloutTurn, 'turn' | 'time' | 'rolloutEvents'> {
  readonly happenings: readonly RolloutEvent[];
}

export class SqlRolloutStore extends SqlStore implements RolloutStore {
  readonly #deps: RolloutStoreDeps;

  constructor(tx: Transaction, deps: RolloutStoreDeps) {
    super(tx);
    this.#deps = deps;
  }

  async begin(rollout: RolloutKey, opening: RolloutOpening, signal: AbortSignal): Promise<void> {
    await this.#write(rollout, { turn: OPENING, time: opening.start.now, body: opening }, signal);
  }

  async opening({ deployment, revision }: RolloutKey, signal: AbortSignal): Promise<RolloutOpening | undefined> {
    signal.throwIfAborted();
    const row = await this.tx.get(sql`
      SELECT body FROM rollout_turns
      WHERE deployment = ${deployment} AND revision = ${revision} AND turn = ${OPENING}`);
    return row && (JSON.parse(String(row['body'])) as RolloutOpening);
  }

  async appendTurn(
    rollout: RolloutKey,
    { turn, time, rolloutEvents, ...rest }: RolloutTurn,
    signal: AbortSignal,
  ): Promise<void> {
    const body: StoredTurn = { happenings: rolloutEvents, ...rest };
    await this.#write(rollout, { turn, time, body }, signal);
  }

  async turnsAfter(
    { deployment, revision }: RolloutKey,
    turn: number,
    signal: AbortSignal,
  ): Promise<readonly RolloutTurn[]> {
    signal.throwIfAborted();
    const rows = await this.tx.all(sql`
      SELECT turn, time, body FROM rollout_turns
      WHERE deployment = ${deployment} AND revision = ${revision} AND turn > ${Math.max(turn, OPENING)} ORDER BY turn`);
    return rows.map((row) => {
      const { happenings, ...rest } = JSON.parse(String(row['body'])) as StoredTurn;
      return { turn: Number(row['turn']), time: Number(row['time']), rolloutEvents: happenings, ...rest };
    });
  }

  async snapshot({ deployment, revision }: RolloutKey, signal: AbortSignal): Promise<RolloutSnapshot | undefined> {
    signal.throwIfAborted();
    const row = await this.tx.get(sql`
      SELECT turn, state FROM rollout_snapshots WHERE deployment = ${deployment} AND revision = ${revision}`);
    return row && { turn: Number(row['turn']), state: JSON.parse(String(row['state'])) as RolloutState };
  }

  async putSnapshot(
    { deployment, revision }: RolloutKey,
    { turn, state }: RolloutSnapshot,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    await this.tx.run(sql`
      INSERT INTO rollout_snapshots (deployment, revision, turn, state)
      VALUES (${deployment}, ${revision}, ${turn}, ${JSON.stringify(state)})
      ON CONFLICT (deployment, revision) DO UPDATE SET turn = excluded.turn, state = excluded.state`);
  }

  async end({ deployment, revision }: RolloutKey, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.tx.batch([
      sql`DELETE FROM rollout_snapshots WHERE deployment = ${deployment} AND revision = ${revision}`,
      sql`DELETE FROM rollout_inbox WHERE deployment = ${deployment} AND revision = ${revision}`,
    ]);
  }

  async post(
    { deployment, revision }: RolloutKey,
    rolloutEvents: readonly RolloutEvent[],
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const statements = inPieces(rolloutEvents, POSTED).map(
      (some) => sql`
        INSERT INTO rollout_inbox (id, deployment, revision, body)
        VALUES (${this.#deps.newId()}, ${deployment}, ${revision}, ${JSON.stringify(some)})`,
    );
    if (statements.length > 0) await this.tx.batch(statements);
  }

  async take(
    { deployment, revision }: RolloutKey,
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly RolloutEvent[]> {
    signal.throwIfAborted();
    const rows = await this.tx.all(sql`
      SELECT id, body FROM rollout_inbox WHERE deployment = ${deployment} AND revision = ${revision}
      ORDER BY id LIMIT ${limit}`);
    // Each row holds at least one event, so fewer than the limit means that none is left.
    const taken: RolloutEvent[] = [];
    let last: string | undefined;
    for (const row of rows) {
      if (taken.length >= limit) break;
      taken.push(...(JSON.parse(String(row['body'])) as RolloutEvent[]));
      last = String(row['id']);
    }
    if (last === undefined) return [];
    await this.tx.run(sql`
      DELETE FROM rollout_inbox WHERE deployment = ${deployment} AND revision = ${revision} AND id <= ${last}`);
    return taken;
  }

  async #write(
    { deployment, revision }: RolloutKey,
    { turn, time, body }: { readonly turn: number; readonly time: number; readonly body: object },
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    await this.tx.run(sql`
      INSERT INTO rollout_turns (deployment, revision, turn, time, body)
      VALUES (${deployment}, ${revision}, ${turn}, ${time}, ${JSON.stringify(body)})`);
  }
}
