import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { aChain } from '../testing/an-entry.ts';
import { CHAIN_START, type ChainedEntry, hashOf } from './audit-chain.ts';
import type { AuditEntry } from './audit-entry.ts';
import { ChainVerifier } from './verify-chain.ts';

const CHAIN = aChain(12);
const HEAD = CHAIN.at(-1) ?? CHAIN_START;
const place = fc.nat({ max: CHAIN.length - 1 });

function faultsOf(chain: readonly ChainedEntry[]) {
  const verifier = new ChainVerifier(CHAIN_START);
  for (const chained of chain) verifier.next(chained);
  verifier.end(HEAD);
  return verifier.faults();
}

/** One modification for each field. */
const CHANGES: Readonly<Record<keyof AuditEntry, Partial<AuditEntry>>> = {
  id: { id: '018f0000-0000-7000-8000-ffffffffffff' },
  time: { time: 1 },
  lastTime: { lastTime: 1 },
  count: { count: 2 },
  requestId: { requestId: 'another' },
  operation: { operation: 'deleteWorkspace' },
  method: { method: 'DELETE' },
  resource: { resource: '/v1/workspaces/other' },
  scope: { scope: undefined },
  principal: { principal: { kind: 'user', id: 'bob' } },
  clientRequestId: { clientRequestId: 'another' },
  token: { token: 'another' },
  session: { session: undefined },
  address: { address: '127.0.0.2' },
  outcome: { outcome: 'denied' },
  before: { before: `sha256:${'1'.repeat(64)}` },
  after: { after: undefined },
};

test('an untouched chain has no fault', () => assert.deepEqual(faultsOf(CHAIN), []));

for (const [field, change] of Object.entries(CHANGES)) {
  test(`another ${field} is found, and nothing else`, () => {
    fc.assert(
      fc.property(place, (at) => {
        const chain = CHAIN.map((each, index) =>
          index === at ? { ...each, entry: { ...each.entry, ...change } } : each,
        );
        assert.deepEqual(faultsOf(chain), [{ kind: 'changed', position: at + 1 }]);
      }),
    );
  });
}

test('one that was changed and hashed anew is found by the next, or by the head', () => {
  fc.assert(
    fc.property(place, (at) => {
      const chain = CHAIN.map((each, index) => {
        if (index !== at) return each;
        const entry = { ...each.entry, operation: 'nothing' };
        return { ...each, entry, hash: hashOf(each.position, each.previousHash, entry) };
      });
      assert.deepEqual(faultsOf(chain), [{ kind: 'changed', position: at + 1 }]);
    }),
  );
});

test('what is missing is found, at the end too', () => {
  fc.assert(
    fc.property(place, fc.nat({ max: 3 }), (at, more) => {
      const last = Math.min(at + more, CHAIN.length - 1);
      const chain = CHAIN.filter((_, index) => index < at || index > last);
      assert.deepEqual(faultsOf(chain), [{ kind: 'missing', position: at + 1, other: last + 1 }]);
    }),
  );
});

for (const withHashes of [true, false]) {
  test(`two that were swapped ${withHashes ? 'with' : 'without'} their hashes are found`, () => {
    fc.assert(
      fc.property(place, place, (a, b) => {
        fc.pre(a !== b);
        const swap = (each: ChainedEntry, other: ChainedEntry | undefined) =>
          other === undefined
            ? each
            : withHashes
              ? { ...other, position: each.position }
              : { ...each, entry: other.entry };
        const chain = CHAIN.map((each, index) =>
          index === a ? swap(each, CHAIN[b]) : index === b ? swap(each, CHAIN[a]) : each,
        );
        const [position, other] = [Math.min(a, b) + 1, Math.max(a, b) + 1];
        assert.deepEqual(faultsOf(chain), [{ kind: 'swapped', position, other }]);
      }),
    );
  });
}

test('a chain that begins behind what was purged is as sound as before', () => {
  const from = CHAIN[4] ?? CHAIN_START;
  const verifier = new ChainVerifier(from);
  for (const chained of CHAIN.slice(5)) verifier.next(chained);
  verifier.end(HEAD);
  assert.deepEqual([verifier.faults(), verifier.checked], [[], 7]);
});
