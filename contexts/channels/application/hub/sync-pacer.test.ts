import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SyncPacer } from './sync-pacer.ts';

function paced() {
  const begun: string[] = [];
  return { begun, pacer: new SyncPacer({ most: 2, withinMs: 100, begin: (target) => begun.push(target) }) };
}

test('so many begin at once, and the next when one has told all', () => {
  const { begun, pacer } = paced();
  for (const target of ['a', 'b', 'c', 'd']) pacer.want(target, 0);
  assert.deepEqual(begun, ['a', 'b']);
  pacer.done('b', 10);
  assert.deepEqual(begun, ['a', 'b', 'c']);
  pacer.done('b', 11);
  assert.deepEqual(begun, ['a', 'b', 'c'], 'who says it twice frees nothing twice');
  assert.deepEqual([pacer.underWay, pacer.waiting], [2, 1]);
});

test('one that never comes to its end holds up nobody for ever', () => {
  const { begun, pacer } = paced();
  for (const target of ['a', 'b', 'c']) pacer.want(target, 0);
  pacer.sweep(99);
  assert.deepEqual(begun, ['a', 'b']);
  pacer.sweep(100);
  assert.deepEqual(begun, ['a', 'b', 'c']);
});

test('one that is gone before its turn is passed over', () => {
  const { begun, pacer } = paced();
  for (const target of ['a', 'b', 'c', 'd']) pacer.want(target, 0);
  pacer.done('c', 1);
  pacer.done('a', 2);
  assert.deepEqual(begun, ['a', 'b', 'd']);
});

test('one that was cut off in its turn gets another', () => {
  const { begun, pacer } = paced();
  pacer.want('a', 0);
  pacer.want('a', 5);
  assert.deepEqual(begun, ['a', 'a']);
  assert.equal(pacer.underWay, 1);
});
