import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { type DeliverOrder, type Document, HEALTHS, type Inventory } from '#protocol/delivery';
import { FromAgentSchema, StatusMessageSchema } from '#protocol/proto';
import { aTarget, uidOf } from '../../testing/an-order.ts';
import { type Answer, decodeAnswer, encodeAnswer } from './answer-codec.ts';
import { type AgentRequest, decodeRequest, encodeRequest } from './order-codec.ts';
import { type AgentStatus, decodeStatus, encodeStatus } from './status-codec.ts';

const target = aTarget();
const uid = fc.nat(0xffff).map(uidOf);
const revision = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const text = fc.string({ unit: 'grapheme' });
const request = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const health = fc.constantFrom(...HEALTHS);
const key = fc.record({ target: fc.constant(target), deployment: uid, revision });

const origin = fc.record({ instance: text, incarnation: text, restores: fc.nat(0xffff) });

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
        origin,
      },
      { requiredKeys: ['hash', 'documents', 'healthRules', 'driftPolicy', 'secretPlaces'] },
    ),
  )
  .map(([its, content]) => ({ kind: 'deliver', ...its, ...content }));
const order = fc.oneof(
  deliver,
  key.map((its) => ({ kind: 'remove' as const, ...its })),
  fc.tuple(key, origin).map(([its, from]) => ({ kind: 'remove' as const, ...its, origin: from })),
);
const asked: fc.Arbitrary<AgentRequest> = fc.oneof(
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
const status: fc.Arbitrary<AgentStatus> = fc.oneof(
  fc.record({ about: fc.constant('report' as const), report }),
  fc.record({ about: fc.constant('inventory' as const), inventory }),
);

// fast-check makes objects without a prototype; their clones have one.
describe('the messages of delivery', () => {
  it('arrive as they were asked', () => {
    fc.assert(
      fc.property(request, asked, (number, its) => {
        assert.deepEqual(decodeRequest(encodeRequest(number, its), target), {
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

  it('arrive as they were reported', () => {
    fc.assert(
      fc.property(status, (its) => assert.deepEqual(decodeStatus(encodeStatus(its), target.id), structuredClone(its))),
    );
  });

  it('of a later release are an unknown question, a fault and no word', () => {
    const later = Uint8Array.of(0x08, 7, 0xfa, 0x3f, 0);
    assert.deepEqual(decodeRequest(later, target), { request: 7n, asked: undefined });
    assert.deepEqual(decodeAnswer(later).answer.kind, 'fault');
    assert.equal(decodeStatus(Uint8Array.of(0xfa, 0x3f, 0), target.id), undefined);
  });
});

/** Any value that fits the wire format, valid or not. */
const int64 = fc.oneof(
  fc.constantFrom(0n, 1n, -1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 62n, 2n ** 63n - 1n, -(2n ** 63n)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }).map((raw) => raw.toWellFormed()),
  fc.constantFrom('\u001b[2J\u0000', 'x'.repeat(100_000)),
);
const anyUid = fc.oneof(uid, anyText);
const anyKind = fc.oneof(
  fc.record({ case: fc.constant('applied' as const), value: fc.record({ hash: anyText }) }),
  fc.record({ case: fc.constantFrom('rejected' as const, 'failed' as const), value: fc.record({ message: anyText }) }),
  fc.record({
    case: fc.constant('health' as const),
    value: fc.record({ health: fc.integer({ min: 0, max: 99 }), message: anyText }),
  }),
  fc.record({
    case: fc.constant('drift' as const),
    value: fc.record({ objects: fc.array(anyText, { maxLength: 300, size: 'max' }) }),
  }),
);
const anyReport = fc.record({
  case: fc.constant('report' as const),
  value: fc.record({ deploymentUid: anyUid, revision: int64, kind: anyKind }),
});
const anyHolding = fc.record({ deploymentUid: anyUid, revision: int64, hash: anyText, message: anyText });
const anyInventory = fc.record({
  case: fc.constant('inventory' as const),
  value: fc.record({ instance: anyText, holdings: fc.array(anyHolding, { maxLength: 3 }) }),
});

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

describe('whatever an agent says', () => {
  it('is refused, or has safe revisions and texts that can be stored and shown', () => {
    fc.assert(
      fc.property(fc.oneof(anyReport, anyInventory), (message) => {
        const payload = toBinary(
          StatusMessageSchema,
          create(StatusMessageSchema, { message } as MessageInitShape<typeof StatusMessageSchema>),
        );
        let read: AgentStatus | undefined;
        try {
          read = decodeStatus(payload, target.id);
        } catch {
          return;
        }
        assert.ok(numbersIn(read).every((number) => Number.isSafeInteger(number) && number > 0));
        const shown = JSON.stringify(read);
        assert.ok(shown.length < 256 * 300);
        assert.doesNotMatch(shown, /\\u00(?:0[0-8b-f]|1)/);
      }),
    );
  });

  it('of a revision that nobody can have seen is a fault to the one who asked', () => {
    for (const seen of [0n, -1n, 2n ** 53n, 2n ** 63n - 1n]) {
      const value = { kind: { case: 'fenced', value: { seen } } } as const;
      const payload = toBinary(
        FromAgentSchema,
        create(FromAgentSchema, { request: 7n, message: { case: 'acknowledgement', value } }),
      );
      assert.deepEqual([decodeAnswer(payload).request, decodeAnswer(payload).answer.kind], [7n, 'fault']);
    }
  });
});
