import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectMeta } from '../client/kube-object.ts';
import { annotationsChanged, anyOf, generationChanged, labelsChanged } from './predicates.ts';

const of = (metadata: ObjectMeta) => ({ apiVersion: 'v1', kind: 'X', metadata });

for (const { why, predicate, old, now, want } of [
  { why: 'created', predicate: generationChanged, old: undefined, now: of({ generation: 1 }), want: true },
  { why: 'deleted', predicate: generationChanged, old: of({ generation: 1 }), now: undefined, want: true },
  {
    why: 'a new spec',
    predicate: generationChanged,
    old: of({ generation: 1 }),
    now: of({ generation: 2 }),
    want: true,
  },
  {
    why: 'the status alone',
    predicate: generationChanged,
    old: of({ generation: 1 }),
    now: of({ generation: 1 }),
    want: false,
  },
  { why: 'a label more', predicate: labelsChanged, old: of({}), now: of({ labels: { a: '1' } }), want: true },
  { why: 'a label less', predicate: labelsChanged, old: of({ labels: { a: '1' } }), now: of({}), want: true },
  {
    why: 'another label',
    predicate: labelsChanged,
    old: of({ labels: { a: '1' } }),
    now: of({ labels: { b: '1' } }),
    want: true,
  },
  {
    why: 'another value',
    predicate: labelsChanged,
    old: of({ labels: { a: '1' } }),
    now: of({ labels: { a: '2' } }),
    want: true,
  },
  {
    why: 'the same labels',
    predicate: labelsChanged,
    old: of({ labels: { a: '1' } }),
    now: of({ labels: { a: '1' } }),
    want: false,
  },
  {
    why: 'an annotation',
    predicate: annotationsChanged,
    old: of({}),
    now: of({ annotations: { a: '1' } }),
    want: true,
  },
  { why: 'no annotation', predicate: annotationsChanged, old: of({ labels: { a: '1' } }), now: of({}), want: false },
  {
    why: 'one of two',
    predicate: anyOf(generationChanged, labelsChanged),
    old: of({}),
    now: of({ labels: { a: '1' } }),
    want: true,
  },
  { why: 'none of two', predicate: anyOf(generationChanged, labelsChanged), old: of({}), now: of({}), want: false },
]) {
  test(`${why}: ${want ? 'worth a look' : 'not worth a look'}`, () => assert.equal(predicate({ old, now }), want));
}
