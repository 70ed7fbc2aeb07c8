import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectMeta } from '../client/kube-object.ts';
import { addFinalizer, hasFinalizer, removeFinalizer } from './finalizers.ts';

const OURS = 'example.io/ours';
const OTHER = 'example.io/other';

function widget(metadata: ObjectMeta) {
  return { apiVersion: 'example.io/v1', kind: 'Widget', metadata: { name: 'w', resourceVersion: '7', ...metadata } };
}

function patch(finalizers: readonly string[] | null) {
  return { type: 'merge', patch: { metadata: { resourceVersion: '7', finalizers } } };
}

for (const { why, act, object, want } of [
  { why: 'adding to none', act: addFinalizer, object: widget({}), want: patch([OURS]) },
  {
    why: 'adding keeps the others, in front',
    act: addFinalizer,
    object: widget({ finalizers: [OTHER] }),
    want: patch([OTHER, OURS]),
  },
  {
    why: 'adding what is there is nothing',
    act: addFinalizer,
    object: widget({ finalizers: [OURS] }),
    want: undefined,
  },
  {
    why: 'adding what is there is nothing, also during deletion',
    act: addFinalizer,
    object: widget({ finalizers: [OURS], deletionTimestamp: 'now' }),
    want: undefined,
  },
  {
    why: 'removing keeps the others',
    act: removeFinalizer,
    object: widget({ finalizers: [OURS, OTHER] }),
    want: patch([OTHER]),
  },
  {
    why: 'removing the last leaves no list',
    act: removeFinalizer,
    object: widget({ finalizers: [OURS] }),
    want: patch(null),
  },
  {
    why: 'removing what is not there is nothing',
    act: removeFinalizer,
    object: widget({ finalizers: [OTHER] }),
    want: undefined,
  },
]) {
  test(why, () => assert.deepEqual(act(object, OURS), want));
}

test('one that is there is found', () => {
  assert.equal(hasFinalizer(widget({ finalizers: [OURS] }), OURS), true);
  assert.equal(hasFinalizer(widget({}), OURS), false);
});

test('an object that is being deleted takes no more', () => {
  assert.throws(() => addFinalizer(widget({ deletionTimestamp: '2030-01-01T00:00:00Z' }), OURS), {
    code: 'BEING_DELETED',
  });
});

test('without the version that was read there is no patch', () => {
  const unread = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } };
  assert.throws(() => addFinalizer(unread, OURS), { code: 'NOT_READ' });
});
