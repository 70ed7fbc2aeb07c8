import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Type } from 'typebox';
import { compileCoercion } from './coerce-text.ts';

const coerce = compileCoercion(
  Type.Object({
    int: Type.Integer(),
    num: Type.Number(),
    flag: Type.Boolean(),
    text: Type.String(),
    ints: Type.Array(Type.Integer()),
    kind: Type.Enum(['a', 'b']),
    union: Type.Union([Type.Literal('a'), Type.Literal('b')]),
  }) as unknown as Readonly<Record<string, unknown>>,
  'test',
);

describe('text of paths and queries', () => {
  it('reads back as the number that was written', () => {
    fc.assert(fc.property(fc.maxSafeInteger(), (int) => assert.equal(coerce({ int: String(int) })['int'], int)));
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (num) => {
        assert.equal(coerce({ num: String(num) })['num'], num === 0 ? Number(String(num)) : num);
      }),
    );
  });

  it('stays text where it is not exactly a value of the type', () => {
    for (const raw of ['', ' 7', '7 ', '+7', '007', '0x10', '1e2', '1.0', 'seven', '1_000', '٧']) {
      assert.equal(coerce({ int: raw })['int'], raw);
    }
    for (const raw of ['', 'True', '1', '0', 'yes', ' true']) assert.equal(coerce({ flag: raw })['flag'], raw);
  });

  it('is never changed where text is wanted, or nothing is known of it', () => {
    fc.assert(
      fc.property(fc.string(), (raw) => {
        const { text, kind, union, other } = coerce({ text: raw, kind: raw, union: raw, other: raw });
        assert.deepEqual([text, kind, union, other], [raw, raw, raw, raw]);
      }),
    );
  });

  it('is a list when repeated, and a list of one when not', () => {
    assert.deepEqual(coerce({ ints: ['1', '2', 'x'] })['ints'], [1, 2, 'x']);
    assert.deepEqual(coerce({ ints: '1' })['ints'], [1]);
    assert.deepEqual(coerce({ int: ['1', '2'] })['int'], ['1', '2']);
  });

  it('keeps a parameter called __proto__, so that it can be refused', () => {
    assert.deepEqual(Object.keys(coerce({ ['__proto__']: '1' })), ['__proto__']);
  });

  it('cannot be an object', () => {
    const schema = Type.Object({ x: Type.Object({}) }) as unknown as Readonly<Record<string, unknown>>;
    assert.throws(() => compileCoercion(schema, 'GET /x'), /GET \/x/);
  });
});
