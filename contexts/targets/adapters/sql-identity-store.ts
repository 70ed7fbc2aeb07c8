import { parseUuid, type Uuid } from '#kit/std';
import { type Reader, type Row, sql, type Transaction } from '#kit/storage';
import type { IdentityStore } from '../application/ports.ts';
import type { ClusterIdentity } from '../domain/cluster-identity.ts';

/** For both engines, within one transaction. */
export class SqlIdentityStore implements IdentityStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async find(target: Uuid, signal: AbortSignal): Promise<ClusterIdentity> {
    signal.throwIfAborted();
    return await identityIn(this.#tx, target);
  }

  async isHeldByOther(target: Uuid, identity: string, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    // Joined, because a release that does not know this table may have deleted the target.
    const rows = await this.#tx.all(sql`
      SELECT target FROM target_identities JOIN targets ON targets.uid = target_identities.target WHERE held = ${identity}`);
    return rows.some((row) => row['target'] !== target);
  }

  async put(target: Uuid, { held, refused, issued }: ClusterIdentity, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#tx.run(sql`
      INSERT INTO target_identities (target, held, refused, issued)
      VALUES (${target}, ${held ?? null}, ${refused ?? null}, ${issued ?? null})
      ON CONFLICT (target) DO UPDATE SET held = excluded.held, refused = excluded.refused, issued = excluded.issued`);
  }
}

/** The facts of a target that a registration needs, from a snapshot. */
export async function registrationFacts(
  reader: Reader,
  target: string,
): Promise<{ readonly identity: ClusterIdentity; readonly aliasOf: string | undefined }> {
  const row = await reader.get(sql`SELECT alias_of FROM targets WHERE uid = ${target}`);
  const aliasOf = row?.['alias_of'] ?? undefined;
  return { identity: await identityIn(reader, target), aliasOf: aliasOf === undefined ? undefined : String(aliasOf) };
}

/** Also for a snapshot: most registrations change nothing. */
export async function identityIn(reader: Reader, target: string): Promise<ClusterIdentity> {
  const row = await reader.get(sql`SELECT held, refused, issued FROM target_identities WHERE target = ${target}`);
  return row === undefined ? {} : toIdentity(row);
}

function toIdentity(row: Row): ClusterIdentity {
  const text = (column: string): string | undefined => (row[column] === null ? undefined : String(row[column]));
  const [held, refused, issued] = [text('held'), text('refused'), text('issued')];
  return {
    ...(held === undefined ? {} : { held }),
    ...(refused === undefined ? {} : { refused }),
    ...(issued === undefined ? {} : { issued: parseUuid(issued) }),
  };
}
