import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aKind, anObject } from '../testing/an-index.ts';
import { extractorOf } from './extract-object.ts';
import type { IndexedKind, IndexField } from './index-schema.ts';
import type { IndexedContent, IndexedObject } from './indexed-object.ts';
import type { ObservedObject } from './observed-object.ts';

const NOW = Date.UTC(2030, 0, 1);

function extracted(body: unknown, kind: Partial<IndexedKind>, more: Partial<ObservedObject> = {}) {
  return extractorOf(aKind('v1/Box', kind))({ ...anObject('a'), body, ...more }, NOW);
}

function contentOf(object: IndexedObject | undefined): IndexedContent {
  assert.ok(object);
  return JSON.parse(object.content) as IndexedContent;
}

describe('what is taken out of an object', () => {
  const body = { a: 'x', n: 2, yes: true, list: [{ n: 1, s: 'p' }, { n: 2, s: 'p' }, { s: 'q' }], map: { b: 1, a: 2 } };
  for (const { why, field, want } of [
    { why: 'a text', field: { path: 'a', type: 'string' }, want: 'x' },
    { why: 'a number as text', field: { path: 'n', type: 'string' }, want: '2' },
    { why: 'a sum of numbers', field: { path: 'list[*].n', type: 'number' }, want: 3 },
    { why: 'each text once', field: { path: 'list[*].s', type: 'strings' }, want: ['p', 'q'] },
    { why: 'a truth', field: { path: 'yes', type: 'boolean' }, want: true },
    { why: 'names of properties, sorted', field: { path: 'map', type: 'keys' }, want: ['a', 'b'] },
    { why: 'nothing of what is no text', field: { path: 'map', type: 'string' }, want: undefined },
    { why: 'nothing of what is no number', field: { path: 'a', type: 'number' }, want: undefined },
    { why: 'nothing where there is nothing', field: { path: 'other', type: 'string' }, want: undefined },
  ] as const) {
    it(`is ${why}`, () => {
      const fields: IndexField[] = [{ name: 'it', ...field }];
      assert.deepEqual(contentOf(extracted(body, { fields })).fields['it'], want);
    });
  }

  it('is bounded: long texts are cut, and what makes it too large is left out', () => {
    const long = contentOf(extracted({ a: 'x'.repeat(5_000) }, { fields: [{ name: 'a', path: 'a', type: 'string' }] }));
    assert.equal(String(long.fields['a']).length, 1_024);
    const many = Array.from({ length: 90 }, (_, index) => `${index}-${'y'.repeat(1_000)}`);
    const fields: IndexField[] = [
      { name: 'small', path: 'small', type: 'string' },
      { name: 'many', path: 'many[*]', type: 'strings' },
    ];
    const large = extracted({ small: 'kept', many }, { fields });
    assert.deepEqual([contentOf(large).fields, contentOf(large).isCut], [{ small: 'kept' }, true]);
    assert.ok((large?.content.length ?? 0) <= 16_384);
  });

  it('has another digest when anything of it is another, and only then', () => {
    const fields: IndexField[] = [{ name: 'a', path: 'a', type: 'string' }];
    const digest = (of: unknown, more: Partial<ObservedObject> = {}) => extracted(of, { fields }, more)?.digest;
    assert.equal(digest({ a: 'x', heartbeat: 1 }), digest({ a: 'x', heartbeat: 2 }));
    assert.notEqual(digest({ a: 'x' }), digest({ a: 'y' }));
    assert.notEqual(digest({ a: 'x' }), digest({ a: 'x' }, { uid: 'another' }));
    assert.notEqual(digest({ a: 'x' }), digest({ a: 'x' }, { deployment: 'd' }));
    assert.equal(digest({}, { labels: { a: '1', b: '2' } }), digest({}, { labels: { b: '2', a: '1' } }));
  });

  it('is nothing when the schema is not about it', () => {
    const only = [{ path: 'type', in: ['Warning'] }];
    assert.ok(extracted({ type: 'Warning' }, { only }));
    assert.equal(extracted({ type: 'Normal' }, { only }), undefined);
  });

  it('expires by the first time that there is, and is nothing after that', () => {
    const expiry = { afterMs: 3_600_000, from: ['lastTimestamp', 'eventTime'] };
    const at = (eventTime: number) => extracted({ eventTime: new Date(eventTime).toISOString() }, { expiry });
    assert.equal(at(NOW - 60_000)?.expireTime, NOW + 59 * 60_000);
    assert.equal(at(NOW - 3_600_000), undefined);
    assert.equal(extracted({}, { expiry }, { createTime: NOW })?.expireTime, NOW + 3_600_000);
  });

  it('survives a text that is no Unicode', () => {
    const fields: IndexField[] = [{ name: 'a', path: 'a', type: 'string' }];
    assert.ok(extracted({ a: '\ud800' }, { fields }));
  });
});
