import { contentHash } from '#kit/std';
import type { AuditEntry } from './audit-entry.ts';

/** A point of the chain: the hash of everything up to a position. */
export interface ChainPoint {
  readonly position: number;
  readonly hash: string;
}

/** An entry with its position. Its hash covers the entry, the position and, through the previous hash, everything before. */
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

/**
 * Covers every field, including absent ones. Version 2 adds token, session and the caller's request id where present; without
 * them the hash equals version 1.
 */
export function hashOf(position: number, previousHash: string, entry: AuditEntry): string {
  const { scope = null, principal, token, session, clientRequestId, before = null, after = null, ...rest } = entry;
  const who = principal === undefined ? null : { kind: principal.kind, id: principal.id };
  const shown = { ...(token === undefined ? {} : { token }), ...(session === undefined ? {} : { session }) };
  const called = clientRequestId === undefined ? {} : { clientRequestId };
  return contentHash({
    position,
    previousHash,
    entry: { ...rest, ...called, ...shown, scope, principal: who, before, after },
  });
}
