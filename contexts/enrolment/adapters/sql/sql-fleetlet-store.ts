import { sql, type Transaction } from '#kit/storage';
import type { FleetletStore } from '../../application/ports.ts';
import type { CertificateMark } from '../../domain/certificate-standing.ts';
import type { Fleetlet } from '../../domain/fleetlet.ts';
import { CHANGED_TOPIC } from './changed-topic.ts';
import { FLEETLET_COLUMNS, toFleetlet } from './fleetlet-row.ts';
import { stale } from './invalid-row.ts';

/** Within one transaction; for both database engines. */
export class SqlFleetletStore implements FleetletStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async find(name: string, signal: AbortSignal): Promise<Fleetlet | undefined> {
    signal.throwIfAborted();
    const row = await this.#tx.get(sql`SELECT ${FLEETLET_COLUMNS} FROM enrolment_fleetlets WHERE name = ${name}`);
    return row && toFleetlet(row);
  }

  async findByUid(uid: string, signal: AbortSignal): Promise<Fleetlet | undefined> {
    signal.throwIfAborted();
    const row = await this.#tx.get(sql`SELECT ${FLEETLET_COLUMNS} FROM enrolment_fleetlets WHERE uid = ${uid}`);
    return row && toFleetlet(row);
  }

  async findByOrigin(token: string, keyHash: string, signal: AbortSignal): Promise<Fleetlet | undefined> {
    signal.throwIfAborted();
    const row = await this.#tx.get(sql`
      SELECT ${FLEETLET_COLUMNS} FROM enrolment_fleetlets
      WHERE token = ${token} AND key_hash = ${keyHash} ORDER BY create_time DESC, uid DESC LIMIT 1`);
    return row && toFleetlet(row);
  }

  async insert(fleetlet: Fleetlet, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, name, workspace, state, origin, certificate, inUse, version, createTime, updateTime } = fleetlet;
    await this.#tx.run(sql`
      INSERT INTO enrolment_fleetlets (${FLEETLET_COLUMNS})
      VALUES (${uid}, ${name}, ${workspace.name}, ${workspace.path}, ${state}, ${origin?.token ?? null},
        ${origin?.keyHash ?? null}, ${certificate?.serial ?? null}, ${certificate?.authority ?? null},
        ${certificate?.notBefore ?? null}, ${certificate?.notAfter ?? null},
        ${inUse?.serial ?? null}, ${inUse?.notBefore ?? null}, ${version}, ${createTime}, ${updateTime})`);
  }

  async replace(next: Fleetlet, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, state, origin, certificate, version, updateTime } = next;
    const update = sql`
      UPDATE enrolment_fleetlets
      SET state = ${state}, serial = ${certificate?.serial ?? null}, authority = ${certificate?.authority ?? null},
        not_before = ${certificate?.notBefore ?? null}, not_after = ${certificate?.notAfter ?? null},
        key_hash = ${origin?.keyHash ?? null},
        version = ${version}, update_time = ${updateTime}
      WHERE uid = ${uid} AND version = ${version - 1}`;
    // A new certificate changes nothing for other processes, so only a revocation is announced.
    const changed = await this.#tx.run(state === 'Revoked' ? sql.announce(CHANGED_TOPIC, update) : update);
    if (changed !== 1) throw stale(`Fleetlet ${next.name}`);
  }

  async setInUse(uid: string, { serial, notBefore }: CertificateMark, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#tx.run(sql`
      UPDATE enrolment_fleetlets SET in_use_serial = ${serial}, in_use_not_before = ${notBefore} WHERE uid = ${uid}`);
  }

  async remove({ uid, name, version }: Fleetlet, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#tx.run(sql`DELETE FROM enrolment_bindings WHERE fleetlet = ${uid}`);
    const changed = await this.#tx.run(
      sql.announce(CHANGED_TOPIC, sql`DELETE FROM enrolment_fleetlets WHERE uid = ${uid} AND version = ${version}`),
    );
    if (changed !== 1) throw stale(`Fleetlet ${name}`);
  }
}
