import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import { Type } from 'typebox';
import { closeSchema } from './closed-schema.ts';

const accepts = (schema: object, value: unknown): boolean => new Ajv().compile(closeSchema(schema, 'test'))(value);

describe('a closed schema', () => {
  const Inner = Type.Object({ a: Type.Optional(Type.Integer()) });

  for (const { why, schema, value, want } of [
    { why: 'takes what it names', schema: Inner, value: { a: 1 }, want: true },
    { why: 'takes nothing else', schema: Inner, value: { b: 1 }, want: false },
    { why: 'is closed inside objects', schema: Type.Object({ x: Inner }), value: { x: { b: 1 } }, want: false },
    { why: 'is closed inside lists', schema: Type.Array(Inner), value: [{ b: 1 }], want: false },
    { why: 'is closed inside unions', schema: Type.Union([Inner, Type.Null()]), value: { b: 1 }, want: false },
    { why: 'is closed inside records', schema: Type.Record(Type.String(), Inner), value: { k: { b: 1 } }, want: false },
    {
      why: 'leaves the keys of a record open',
      schema: Type.Record(Type.String(), Inner),
      value: { k: {} },
      want: true,
    },
    {
      why: 'holds the keys of a record to their pattern',
      schema: Type.Record(Type.String({ pattern: '^[a-z]+$' }), Type.Integer()),
      value: { K: 1 },
      want: false,
    },
    {
      why: 'stays open where it says so',
      schema: Type.Object({}, { additionalProperties: true }),
      value: { b: 1 },
      want: true,
    },
    { why: 'has nothing to close in a free value', schema: Type.Unknown(), value: { b: 1 }, want: true },
    {
      why: 'is not confused by a field called properties',
      schema: Type.Object({ properties: Inner }),
      value: { properties: { b: 1 } },
      want: false,
    },
  ]) {
    it(why, () => assert.equal(accepts(schema, value), want));
  }

  it('cannot be made of an intersection', () => {
    const schema = Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]);
    assert.throws(() => closeSchema(schema, 'POST /x'), /POST \/x: allOf/);
    assert.throws(() => closeSchema(Type.Object({ inner: schema }), 'POST /x'), TypeError);
  });

  it('leaves the original as it was', () => {
    closeSchema(Inner, 'test');
    assert.equal('additionalProperties' in Inner, false);
  });
});
