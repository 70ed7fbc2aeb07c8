import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { closeSchema } from './closed-schema.ts';
import type { RequestPart } from './validation-faults.ts';
import { Validators } from './validator.ts';

const validators = new Validators();

function faultsOf(schema: object, data: unknown, part: RequestPart = 'body') {
  const verdict = validators.forRequest(closeSchema(schema, 'test'), part, 'test')(data);
  return 'error' in verdict ? verdict.error.faults : [];
}

describe('the faults of a request', () => {
  const Body = Type.Object({
    name: Type.String({ minLength: 2 }),
    size: Type.Optional(Type.Integer({ maximum: 9 })),
    'a/b~c': Type.Optional(Type.Boolean()),
    color: Type.Optional(Type.Enum(['red', 'green'])),
    shape: Type.Optional(Type.Union([Type.Literal('round'), Type.Literal('square')])),
    parts: Type.Optional(Type.Array(Type.Object({ id: Type.Integer() }))),
  });

  for (const { why, data, want } of [
    { why: 'nothing is wrong', data: { name: 'ok' }, want: [] },
    { why: 'no body at all', data: null, want: [{ path: '', message: 'a JSON body is required' }] },
    { why: 'a missing field is named', data: {}, want: [{ path: '/name', message: 'is required' }] },
    {
      why: 'an unknown field is named, and never dropped',
      data: { name: 'ok', nmae: 'x' },
      want: [{ path: '/nmae', message: 'is not a field that this takes' }],
    },
    {
      why: 'text is not taken for a number',
      data: { name: 'ok', size: '7' },
      want: [{ path: '/size', message: 'must be integer' }],
    },
    {
      why: 'an unknown value of a closed set',
      data: { name: 'ok', color: 'blue' },
      want: [{ path: '/color', message: 'must be one of "red", "green"' }],
    },
    {
      why: 'a union of constants is one closed set',
      data: { name: 'ok', shape: 'flat' },
      want: [{ path: '/shape', message: 'must be one of "round", "square"' }],
    },
    {
      why: 'pointers are escaped',
      data: { name: 'ok', 'a/b~c': 1 },
      want: [{ path: '/a~1b~0c', message: 'must be boolean' }],
    },
    {
      why: 'all faults are told at once',
      data: { name: 'x', parts: [{ id: 1 }, { id: 'a', z: 1 }] },
      want: [
        { path: '/name', message: 'must NOT have fewer than 2 characters' },
        { path: '/parts/1/z', message: 'is not a field that this takes' },
        { path: '/parts/1/id', message: 'must be integer' },
      ],
    },
  ]) {
    it(why, () => assert.deepEqual(faultsOf(Body, data), want));
  }

  it('say which part of the request they are in', () => {
    const schema = Type.Object({ n: Type.Integer() });
    assert.deepEqual(faultsOf(schema, { n: 'x' }, 'query'), [{ path: 'query/n', message: 'must be integer' }]);
    assert.deepEqual(faultsOf(schema, { n: 'x' }, 'path'), [{ path: 'path/n', message: 'must be integer' }]);
    assert.deepEqual(faultsOf(schema, { n: '1', m: '1' }, 'query'), [
      { path: 'query/m', message: 'is not a parameter that this takes' },
    ]);
  });

  it('are bounded, however wrong a body is', () => {
    const List = Type.Object({ list: Type.Array(Type.Integer()) });
    assert.equal(faultsOf(List, { list: Array(500).fill('x') }).length, 50);
    assert.deepEqual(faultsOf(List, { list: Array(100_000).fill('x') }), [
      { path: '', message: 'does not match its schema' },
    ]);
  });

  it('point into the union of objects that nearly fits', () => {
    const One = Type.Object({ type: Type.Literal('one'), a: Type.Integer() });
    const faults = faultsOf(Type.Object({ x: Type.Union([One, Type.Null()]) }), { x: { type: 'one', a: 'no' } });
    assert.ok(faults.some(({ path, message }) => path === '/x/a' && message === 'must be integer'));
    assert.ok(!faults.some(({ message }) => message.includes('anyOf')));
  });
});
