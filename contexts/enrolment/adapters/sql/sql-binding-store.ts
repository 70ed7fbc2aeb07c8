import { type Row, sql, type Transaction } from '#kit/storage';
import type { Binding, BindingStore } from '../../application/ports.ts';
import type { Fleetlet } from '../../domain/fleetlet.ts';
import { CHANGED_TOPIC } from './changed-topic.ts';
import { FLEETLET_COLUMNS, toFleetlet } from './fleetlet-row.ts';

/** Within one transaction; for both database engines. */
export class SqlBindingStore implements BindingStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async fleetletsOf(target: string, signal: AbortSignal): Promise<readonly Fleetlet[]> {
    signal.throwIfAborted();
    const bound = sql`SELECT fleetlet FROM enrolment_bindings WHERE target = ${target}`;
    const rows = await this.#tx.all(sql`SELECT ${FLEETLET_COLUMNS} FROM enrolment_fleetlets WHERE uid IN (${bound})`);
    return rows.map(toFleetlet);
  }

  async targetsOf(fleetlet: string, signal: AbortSignal): Promise<readonly Binding[]> {
    signal.throwIfAborted();
    const rows = await this.#tx.all<BindingRow>(
      sql`SELECT fleetlet, target, name FROM enrolment_bindings WHERE fleetlet = ${fleetlet} ORDER BY name, target`,
    );
    return rows.map(toBinding);
  }

  async bind(fleetlet: string, { uid, name }: Binding, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const added = await this.#tx.run(sql`
      INSERT INTO enrolment_bindings (fleetlet, target, name) VALUES (${fleetlet}, ${uid}, ${name})
      ON CONFLICT (fleetlet, target) DO NOTHING`);
    return added === 1;
  }

  async unbind(fleetlet: string, target: string, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const removed = await this.#tx.run(
      sql.announce(
        CHANGED_TOPIC,
        sql`DELETE FROM enrolment_bindings WHERE fleetlet = ${fleetlet} AND target = ${target}`,
      ),
    );
    return removed === 1;
  }
}

export type BindingRow = Row & { readonly fleetlet: string; readonly target: string; readonly name: string };

export function toBinding({ target, name }: BindingRow): Binding {
  return { uid: target, name };
}
