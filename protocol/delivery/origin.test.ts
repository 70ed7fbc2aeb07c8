import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OrderOrigin, whySuperseded } from './origin.ts';

const of = (incarnation: string, restores: number): OrderOrigin => ({ instance: 'i', incarnation, restores });

for (const { why, obeyed, asking, isRefused } of [
  { why: 'the platform that was restored comes back', obeyed: of('b', 1), asking: of('c', 0), isRefused: true },
  { why: 'a copy of the same backup with the lower id', obeyed: of('c', 1), asking: of('b', 1), isRefused: true },
  { why: 'a copy of the same backup with the higher id', obeyed: of('b', 1), asking: of('c', 1), isRefused: false },
  {
    why: 'the next restore, on a machine whose clock is behind',
    obeyed: of('c', 1),
    asking: of('b', 2),
    isRefused: false,
  },
  { why: 'the same incarnation', obeyed: of('b', 1), asking: of('b', 1), isRefused: false },
  { why: 'a platform of an earlier release', obeyed: of('b', 1), asking: undefined, isRefused: false },
  { why: 'a record of an earlier agent', obeyed: undefined, asking: of('b', 1), isRefused: false },
]) {
  test(`an order is ${isRefused ? 'refused' : 'taken'}: ${why}`, () => {
    assert.equal(whySuperseded(obeyed, asking) !== undefined, isRefused);
  });
}
