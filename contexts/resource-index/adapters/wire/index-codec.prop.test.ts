import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BUCKETS } from '../../domain/bucket.ts';
import { type FromIndexer, type ToIndexer, TYPE_STATES } from '../../domain/index-message.ts';
import { type Check, FIELD_TYPES, type IndexedKind, OBJECT_HEALTHS } from '../../domain/index-schema.ts';
import { decodeFromIndexer, decodeToIndexer, encodeFromIndexer, encodeToIndexer } from './index-codec.ts';

const text = fc.string({ unit: 'grapheme' });
const exchange = fc.nat(0xffff_ffff);
const digest = fc.nat(2 ** 31).map((number) => number * 2 ** 16 + 7);
const time = fc.nat(2 ** 31).map((number) => number * 1_000);
const health = fc.constantFrom(...OBJECT_HEALTHS);
const key = fc.record({ type: text, namespace: text, name: text });
const object = fc.record({ key, uid: text, health, deployment: text, content: text, expireTime: time, digest });
const buckets = fc.uniqueArray(fc.nat(BUCKETS - 1), { maxLength: 5 });
const check: fc.Arbitrary<Check> = fc.oneof(
  fc.record({ path: text, in: fc.array(text, { maxLength: 3 }) }),
  fc.record({ path: text, exists: fc.boolean() }),
  fc.record({ path: text, below: text }),
);
const checks = fc.array(check, { maxLength: 2 });
const kind: fc.Arbitrary<IndexedKind> = fc.record({
  type: text,
  fields: fc.array(fc.record({ name: text, path: text, type: fc.constantFrom(...FIELD_TYPES) }), { maxLength: 3 }),
  health: fc.array(fc.record({ health, when: checks }), { maxLength: 2 }),
  only: checks,
  expiry: fc.option(fc.record({ afterMs: fc.integer({ min: 1 }), from: fc.array(text, { maxLength: 2 }) }), {
    nil: undefined,
  }),
});

const up: fc.Arbitrary<FromIndexer> = fc.oneof(
  fc.record({ kind: fc.constant('hello' as const), exchange }),
  fc.record({ kind: fc.constant('ask' as const), exchange, type: text, buckets }),
  fc.record({
    kind: fc.constant('delta' as const),
    put: fc.array(object, { maxLength: 3 }),
    deleted: fc.array(key, { maxLength: 3 }),
    droppedTypes: fc.array(text, { maxLength: 2 }),
  }),
  fc.record({
    kind: fc.constant('report' as const),
    types: fc.array(
      fc.record({ type: text, state: fc.constantFrom(...TYPE_STATES), message: text, objects: fc.nat() }),
      { maxLength: 3 },
    ),
  }),
);
const down: fc.Arbitrary<ToIndexer> = fc.oneof(
  fc.record({
    kind: fc.constant('state' as const),
    exchange,
    schema: fc.record({ revision: text, kinds: fc.array(kind, { maxLength: 3 }) }),
    digests: fc.array(fc.record({ type: text, sums: fc.array(digest, { maxLength: 4 }) }), { maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant('held' as const),
    exchange,
    type: text,
    objects: fc.array(fc.record({ namespace: text, name: text, digest }), { maxLength: 3 }),
    isLast: fc.boolean(),
  }),
  fc.constant({ kind: 'refresh' as const }),
);

describe('the messages of the index channel', () => {
  it('are what they were, at the platform', () => {
    fc.assert(
      fc.property(up, (said) => {
        assert.deepEqual(decodeFromIndexer(encodeFromIndexer(said)), structuredClone(said));
      }),
    );
  });

  it('are what they were, at the agent', () => {
    fc.assert(
      fc.property(down, (said) => {
        assert.deepEqual(decodeToIndexer(encodeToIndexer(said)), structuredClone(said));
      }),
    );
  });

  it('of a later release are passed over, and what is none is refused', () => {
    assert.equal(decodeFromIndexer(new Uint8Array()), undefined);
    assert.equal(decodeToIndexer(new Uint8Array()), undefined);
    const bad = Uint8Array.of(0xff, 0xff, 0xff);
    assert.throws(() => decodeFromIndexer(bad), { code: 'BAD_INDEX_MESSAGE' });
    assert.throws(() => decodeToIndexer(bad), { code: 'BAD_INDEX_MESSAGE' });
  });
});
