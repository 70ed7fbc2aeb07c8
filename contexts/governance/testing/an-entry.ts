import { CHAIN_START, type ChainedEntry, chainEntries } from '../domain/audit-chain.ts';
import type { AuditEntry } from '../domain/audit-entry.ts';
import type { Refusal } from '../domain/refusal-window.ts';

/** A change by Alice; the number is part of its id. */
function anEntry(number: number, parts: Partial<AuditEntry> = {}): AuditEntry {
  const time = Date.UTC(2030, 0, 1) + number;
  return {
    id: `018f0000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`,
    time,
    lastTime: time,
    count: 1,
    requestId: `request-${number}`,
    operation: 'createWorkspace',
    method: 'POST',
    resource: `/v1/workspaces/w${number}`,
    scope: `/root/w${number}/`,
    principal: { kind: 'user', id: 'alice' },
    token: undefined,
    session: `session-${number}`,
    address: '127.0.0.1',
    outcome: 'done',
    before: undefined,
    after: `sha256:${'0'.repeat(64)}`,
    ...parts,
  };
}

export function aChain(length: number): ChainedEntry[] {
  return chainEntries(
    CHAIN_START,
    Array.from({ length }, (_, number) => anEntry(number)),
  );
}

export function aRefusal(parts: Partial<Refusal> = {}): Refusal {
  const { id: _, scope: __, lastTime: ___, count: ____, ...entry } = anEntry(0);
  return { ...entry, params: {}, outcome: 'denied', after: undefined, ...parts };
}
