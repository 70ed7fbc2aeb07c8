import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { schemaFaults } from './schema-faults.ts';

const GATE = Type.Union([
  Type.Object({ type: Type.Literal('wait'), duration: Type.String() }),
  Type.Object({ type: Type.Literal('approval'), expiry: Type.Optional(Type.String()) }),
]);
const SHARE = Type.Union([Type.Integer(), Type.String({ pattern: '%$' })]);
const SCHEMA = Type.Object({
  name: Type.String(),
  share: Type.Optional(SHARE),
  gates: Type.Optional(Type.Array(GATE, { maxItems: 2 })),
  open: Type.Optional(Type.Object({ name: Type.String() }, { additionalProperties: true })),
  labels: Type.Optional(Type.Record(Type.String(), Type.String())),
});

for (const { why, value, want } of [
  { why: 'nothing', value: { name: 'a', share: 1, gates: [{ type: 'wait', duration: '1s' }] }, want: [] },
  { why: 'a field that is missing', value: {}, want: ['at must have required properties name'] },
  { why: 'a slip', value: { name: 'a', gatse: [] }, want: ['at/gatse: unknown field; did you mean gates?'] },
  {
    why: 'a slip in the shape that is meant',
    value: { name: 'a', gates: [{ type: 'approval', expriy: '1h' }] },
    want: ['at/gates/0/expriy: unknown field; did you mean expiry?'],
  },
  {
    why: 'what the shape lacks that is meant, and nothing of the others',
    value: { name: 'a', gates: [{ type: 'approval' }, { type: 'wait' }] },
    want: ['at/gates/1 must have required properties duration'],
  },
  {
    why: 'a type that there is not',
    value: { name: 'a', gates: [{ type: 'aproval' }] },
    want: ['at/gates/0/type "aproval" is not one of wait, approval; did you mean approval?'],
  },
  {
    why: 'no type',
    value: { name: 'a', gates: [{ duration: '1s' }] },
    want: ['at/gates/0/type is missing; it is one of wait, approval'],
  },
  {
    why: 'too many',
    value: { name: 'a', gates: [{ type: 'approval' }, { type: 'approval' }, { type: 'approval' }] },
    want: ['at/gates must not have more than 2 items'],
  },
  { why: 'one of any fields', value: { name: 'a', open: { name: 'b', more: 1 } }, want: [] },
  { why: 'a value among any keys', value: { name: 'a', labels: { x: 1 } }, want: ['at/labels/x must be string'] },
] as const) {
  test(`wrong is ${why}`, () => assert.deepEqual(schemaFaults(SCHEMA, value, 'at'), want));
}

test('a choice between plain values is told as it is', () => {
  assert.notDeepEqual(schemaFaults(SCHEMA, { name: 'a', share: 'all' }, ''), []);
});
