import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { closeSchema } from './closed-schema.ts';
import type { RequestPart } from './validation-faults.ts';
import { Validators } from './validator.ts';

const validators = new Validators({ atOnce: false });

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
      want: [{ path: '/nmae', message: 'is not a known field' }],
    },
    {
      why: 'text is not taken for a number',
      data: { name: 'ok', size: '7' },
      want: [{ path: '/size', message: 'must be integer' }],
    },
    {
      why: 'an integer that cannot be kept exactly',
      data: { name: 'ok', parts: [{ id: 1e21 }] },
      want: [{ path: '/parts/0/id', message: 'must be <= 9007199254740991' }],
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
        { path: '/parts/1/z', message: 'is not a known field' },
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
      { path: 'query/m', message: 'is not a known parameter' },
    ]);
  });

  it('are bounded, however wrong a body is', () => {
    const List = Type.Object({ list: Type.Array(Type.Integer()) });
    assert.equal(faultsOf(List, { list: Array(500).fill('x') }).length, 50);
    assert.deepEqual(faultsOf(List, { list: Array(100_000).fill('x') }), [
      { path: '', message: 'does not match its schema' },
    ]);
  });

  describe('in a union of objects that a type tells apart', () => {
    const Lid = Type.Union([
      Type.Object({ type: Type.Literal('hinged'), angle: Type.String() }),
      Type.Object({ type: Type.Literal('loose') }),
    ]);
    const Shape = Type.Union([
      Type.Object({ type: Type.Literal('dot') }),
      Type.Object({ type: Type.Literal('box'), size: Type.Integer(), lids: Type.Optional(Type.Array(Lid)) }),
    ]);
    const Whole = Type.Object({
      shape: Type.Optional(Type.Union([Shape, Type.Null()])),
      shapes: Type.Optional(Type.Array(Shape)),
      limit: Type.Optional(Type.Union([Type.Integer(), Type.String({ pattern: '%$' })])),
    });

    for (const { why, data, want } of [
      {
        why: 'are those of the branch that is meant',
        data: { shapes: [{ type: 'box', size: 'no' }] },
        want: ['/shapes/0/size must be integer'],
      },
      {
        why: 'are not that it could be null, where it is an object',
        data: { shape: { type: 'box', size: 'no' } },
        want: ['/shape/size must be integer'],
      },
      {
        why: 'are only that the type is none, where it is none',
        data: { shape: { type: 'blob', weight: 3 } },
        want: ['/shape/type must be one of "dot", "box"'],
      },
      {
        why: 'are told once where there is no type',
        data: { shape: { size: 1 } },
        want: ['/shape/type is required'],
      },
      {
        why: 'are told by themselves for each of several',
        data: { shapes: [{ type: 'no' }, { type: 'dot' }, { type: 'dot', size: 1 }, { type: 'box' }] },
        want: [
          '/shapes/0/type must be one of "dot", "box"',
          '/shapes/2/size is not a known field',
          '/shapes/3/size is required',
        ],
      },
      {
        why: 'are found in unions inside of unions',
        data: { shape: { type: 'box', size: 1, lids: [{ type: 'none' }, { type: 'hinged' }] } },
        want: ['/shape/lids/0/type must be one of "hinged", "loose"', '/shape/lids/1/angle is required'],
      },
      {
        why: 'are all that it could be, where it is no object',
        data: { shape: 7 },
        want: ['/shape must be object', '/shape must be null'],
      },
      {
        why: 'are all that it could be, where none is an object',
        data: { limit: 'all' },
        want: ['/limit must be integer', '/limit must match pattern "%$"'],
      },
    ]) {
      it(why, () => {
        const faults = faultsOf(Whole, data).map(({ path, message }) => `${path} ${message}`);
        assert.deepEqual(faults, want);
      });
    }
  });
});
