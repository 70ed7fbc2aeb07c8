import { type Reader, type Row, type Statement, sql, type Transaction } from '#kit/storage';
import type { Passthrough } from '../../domain/passthrough.ts';

const COLUMNS = sql.raw('target, name, workspace, issuer, audience, create_time');

/** Finds it by the uid of the target. */
export async function findPassthrough(reader: Reader, target: string): Promise<Passthrough | undefined> {
  const row = await reader.get(sql`SELECT ${COLUMNS} FROM identity_passthroughs WHERE target = ${target}`);
  return row && toPassthrough(row);
}

export async function passthroughsWith(reader: Reader, audience: string): Promise<Passthrough[]> {
  const rows = await reader.all(sql`SELECT ${COLUMNS} FROM identity_passthroughs WHERE audience = ${audience}`);
  return rows.map(toPassthrough);
}

export async function savePassthrough(tx: Transaction, passthrough: Passthrough): Promise<void> {
  const { target, workspace, issuer, audience, createTime } = passthrough;
  await tx.run(removePassthrough(target.uid));
  await tx.run(
    sql`INSERT INTO identity_passthroughs (${COLUMNS})
        VALUES (${target.uid}, ${target.name}, ${workspace}, ${issuer}, ${audience}, ${createTime})`,
  );
}

export function removePassthrough(target: string): Statement {
  return sql`DELETE FROM identity_passthroughs WHERE target = ${target}`;
}

function toPassthrough({ target, name, workspace, issuer, audience, create_time: createTime }: Row): Passthrough {
  return {
    target: { uid: String(target), name: String(name) },
    workspace: String(workspace),
    issuer: String(issuer),
    audience: String(audience),
    createTime: Number(createTime),
  };
}
