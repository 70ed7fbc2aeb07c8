import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { DeliverOrder, Document, Inventory } from '../../domain/delivery-order.ts';
import { aTarget, uidOf } from '../../testing/an-order.ts';
import { type Answer, decodeAnswer, encodeAnswer } from './answer-codec.ts';
import { type Asked, decodeAsked, encodeAsked } from './order-codec.ts';
import { decodeSaid, encodeSaid, type Said } from './status-codec.ts';

const target = aTarget();
const uid = fc.nat(0xffff).map(uidOf);
const revision = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const text = fc.string({ unit: 'grapheme' });
const request = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const health = fc.constantFrom('Available', 'Degraded', 'Unknown');
const key = fc.record({ target: fc.constant(target), deployment: uid, revision });

const rule = fc.record({ apiGroup: text, kind: text, healthy: text }, { requiredKeys: ['kind', 'healthy'] });
// JSON has no negative zero.
const document = fc
  .dictionary(text, fc.jsonValue({ maxDepth: 3 }))
  .map((value) => JSON.parse(JSON.stringify(value)) as Document);
const deliver: fc.Arbitrary<DeliverOrder> = fc
  .tuple(
    key,
    fc.record(
      {
        hash: text,
        documents: fc.array(document, { maxLength: 3 }),
        namespace: text,
        healthRules: fc.array(rule, { maxLength: 2 }),
        driftPolicy: fc.constantFrom('report' as const, 'repair' as const),
        secretPlaces: fc.array(text, { maxLength: 3 }),
      },
      { requiredKeys: ['hash', 'documents', 'healthRules', 'driftPolicy', 'secretPlaces'] },
    ),
  )
  .map(([its, content]) => ({ kind: 'deliver', ...its, ...content }));
const order = fc.oneof(
  deliver,
  key.map((its) => ({ kind: 'remove' as const, ...its })),
);
const asked: fc.Arbitrary<Asked> = fc.oneof(
  fc.record({ kind: fc.constantFrom('dispatch' as const, 'preview' as const), order }),
  fc.record({ kind: fc.constant('cancel' as const), order: key }),
);
const acknowledgement = fc.oneof(
  fc.constant({ kind: 'accepted' as const }),
  fc.constant({ kind: 'offline' as const }),
  fc.record({ kind: fc.constant('rejected' as const), message: text }),
  fc.record({ kind: fc.constant('fenced' as const), seen: revision }),
);
const preview = fc.record({
  kind: fc.constantFrom('wouldApply' as const, 'wouldReject' as const),
  message: text,
  changes: fc.array(text, { maxLength: 3 }),
});
const answer: fc.Arbitrary<Answer> = fc.oneof(
  fc.record({ kind: fc.constant('acknowledgement' as const), acknowledgement }),
  fc.record({ kind: fc.constant('preview' as const), preview: fc.option(preview, { nil: undefined }) }),
  fc.constant({ kind: 'cancelled' as const }),
  fc.record({ kind: fc.constant('fault' as const), message: text }),
);
const what = fc.oneof(
  fc.record({ kind: fc.constant('applied'), hash: text }),
  fc.record({ kind: fc.constant('removed') }),
  fc.record({ kind: fc.constantFrom('rejected', 'failed'), message: text }),
  fc.record({ kind: fc.constant('health'), health, message: text }),
  fc.record({ kind: fc.constant('drift'), objects: fc.array(text, { maxLength: 3 }) }),
);
const report = fc
  .tuple(fc.record({ target: fc.constant(target.id), deployment: uid, revision }), what)
  .map(([about, its]) => ({ ...about, ...its }));
const holding = fc.record({ deployment: uid, revision, hash: text, health, message: text });
const inventory = fc.record({
  target: fc.constant(target.id),
  instance: text,
  holdings: fc.array(holding, { maxLength: 3 }),
}) as fc.Arbitrary<Inventory>;
const said: fc.Arbitrary<Said> = fc.oneof(
  fc.record({ kind: fc.constant('report' as const), report }),
  fc.record({ kind: fc.constant('inventory' as const), inventory }),
);

// fast-check makes objects without a prototype; their clones have one.
describe('the messages of delivery', () => {
  it('arrive as they were asked', () => {
    fc.assert(
      fc.property(request, asked, (number, its) => {
        assert.deepEqual(decodeAsked(encodeAsked(number, its), target), {
          request: number,
          asked: structuredClone(its),
        });
      }),
    );
  });

  it('arrive as they were answered', () => {
    fc.assert(
      fc.property(request, answer, (number, its) => {
        assert.deepEqual(decodeAnswer(encodeAnswer(number, its)), { request: number, answer: structuredClone(its) });
      }),
    );
  });

  it('arrive as they were said', () => {
    fc.assert(
      fc.property(said, (its) => assert.deepEqual(decodeSaid(encodeSaid(its), target.id), structuredClone(its))),
    );
  });

  it('of a later release are an unknown question, a fault and no word', () => {
    const later = Uint8Array.of(0x08, 7, 0xfa, 0x3f, 0);
    assert.deepEqual(decodeAsked(later, target), { request: 7n, asked: undefined });
    assert.deepEqual(decodeAnswer(later).answer.kind, 'fault');
    assert.equal(decodeSaid(Uint8Array.of(0xfa, 0x3f, 0), target.id), undefined);
  });
});
