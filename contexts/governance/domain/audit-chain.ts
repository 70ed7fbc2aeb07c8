import { contentHash } from '#kit/std';
import type { AuditEntry } from './audit-entry.ts';

/** A place in the chain: everything up to it has this hash. */
export interface ChainPoint {
  readonly position: number;
  readonly hash: string;
}

/** An entry at its place: its hash covers the entry, the place and, by the hash before, everything that came before. */
export interface ChainedEntry extends ChainPoint {
  readonly previousHash: string;
  readonly entry: AuditEntry;
}

/** Before the first entry. */
export const CHAIN_START: ChainPoint = { position: 0, hash: contentHash('fleetshift audit') };

export function chainEntries(head: ChainPoint, entries: readonly AuditEntry[]): ChainedEntry[] {
  let { position, hash: previousHash } = head;
  return entries.map((entry) => {
    position += 1;
    const hash = hashOf(position, previousHash, entry);
    const chained = { position, previousHash, hash, entry };
    previousHash = hash;
    return chained;
  });
}

/** Every field counts, also those that are absent; token and session where they are there, as older entries have none. */
export function hashOf(position: number, previousHash: string, entry: AuditEntry): string {
  const { scope = null, principal, token, session, before = null, after = null, ...rest } = entry;
  const who = principal === undefined ? null : { kind: principal.kind, id: principal.id };
  const shown = { ...(token === undefined ? {} : { token }), ...(session === undefined ? {} : { session }) };
  return contentHash({ position, previousHash, entry: { ...rest, ...shown, scope, principal: who, before, after } });
}
