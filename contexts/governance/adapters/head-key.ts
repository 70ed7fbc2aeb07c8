import { createHmac } from 'node:crypto';
import { type Storage, sql } from '#kit/storage';
import type { HeadKey } from '../application/ports.ts';
import type { AuditEntry } from '../domain/audit-entry.ts';
import { insertArrival } from './audit-row.ts';
import { SqlChainStore } from './sql-chain-store.ts';

/** The purpose of the MAC, so that the same key cannot be misused to authenticate something else. */
const PURPOSE = 'fleetshift audit head';

export function headKeyOf(secret: Uint8Array): HeadKey {
  return {
    mac: ({ position, hash }) =>
      `hmac-sha256:${createHmac('sha256', secret).update(`${PURPOSE}\n${position}\n${hash}`).digest('hex')}`,
  };
}

/**
 * Called once in the life of a chain: gives the current head its first MAC, and adds an entry that marks from where on heads
 * have one.
 */
export async function beginKeyedChain(
  storage: Storage,
  { key, id, now }: { readonly key: HeadKey; readonly id: string; readonly now: number },
  signal: AbortSignal,
): Promise<boolean> {
  const { head, headMac } = await new SqlChainStore(storage).ends(signal);
  if (headMac !== undefined) return false;
  const [begun] = await storage.commit(
    [
      sql`UPDATE audit_chain SET head_mac = ${key.mac(head)}
        WHERE name = 'head' AND head_mac IS NULL AND position = ${head.position} AND hash = ${head.hash}`,
    ],
    signal,
  );
  if (begun !== 1) return false;
  await storage.commit([insertArrival(markOf(id, now))], signal);
  return true;
}

function markOf(id: string, now: number): AuditEntry {
  return {
    id,
    time: now,
    lastTime: now,
    count: 1,
    requestId: id,
    operation: 'keyAuditChain',
    method: 'POST',
    resource: '/v1/audit',
    scope: undefined,
    principal: { kind: 'platform', id: 'fleetshift' },
    token: undefined,
    session: undefined,
    address: '',
    outcome: 'done',
    before: undefined,
    after: undefined,
  };
}
