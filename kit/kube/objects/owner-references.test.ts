import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject, ObjectMeta } from '../client/kube-object.ts';
import {
  controllerOf,
  findOwner,
  isControlledBy,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from './owner-references.ts';

function object(kind: string, metadata: ObjectMeta, apiVersion = 'apps/v1'): KubeObject {
  return { apiVersion, kind, metadata };
}

const owner = object('Deployment', { name: 'web', namespace: 'one', uid: 'u1' });
const pod = object('Pod', { name: 'web-0', namespace: 'one' }, 'v1');
const reference = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u1' };

test('a controller blocks the deletion of its owner unless told otherwise', () => {
  assert.deepEqual(setControllerReference(pod, owner).metadata.ownerReferences, [
    { ...reference, controller: true, blockOwnerDeletion: true },
  ]);
  const lax = setControllerReference(pod, owner, { blockOwnerDeletion: false });
  assert.equal(controllerOf(lax)?.blockOwnerDeletion, false);
  assert.equal(pod.metadata.ownerReferences, undefined, 'what was given stays as it was');
});

test('a plain owner has neither mark', () => {
  assert.deepEqual(setOwnerReference(pod, owner).metadata.ownerReferences, [reference]);
});

test('the same again is the very object', () => {
  const owned = setControllerReference(pod, owner);
  assert.equal(setControllerReference(owned, owner), owned);
});

test('there is one controller, and any number of owners', () => {
  const controlled = setControllerReference(pod, owner);
  const rival = object('Deployment', { name: 'rival', namespace: 'one', uid: 'u2' });
  assert.throws(() => setControllerReference(controlled, rival), { code: 'ALREADY_CONTROLLED' });
  assert.equal(setOwnerReference(controlled, rival).metadata.ownerReferences?.length, 2);
});

test('an owner that was made anew, or moved to another version, takes its own place', () => {
  const controlled = setControllerReference(
    setOwnerReference(pod, object('Node', { name: 'n', uid: 'n1' }, 'v1')),
    owner,
  );
  const anew = object('Deployment', { name: 'web', namespace: 'one', uid: 'u9' }, 'apps/v2');
  assert.equal(isControlledBy(controlled, anew), false);
  const again = setControllerReference(controlled, anew);
  assert.deepEqual(
    again.metadata.ownerReferences?.map(({ uid }) => uid),
    ['n1', 'u9'],
  );
  assert.equal(isControlledBy(again, anew), true);
  assert.equal(isControlledBy(again, owner), false);
});

for (const { why, by, of } of [
  { why: 'an owner in another namespace', by: owner, of: object('Pod', { name: 'p', namespace: 'two' }) },
  { why: 'an owner in a namespace of what is in none', by: owner, of: object('Node', { name: 'n' }) },
]) {
  test(`${why} is out of reach`, () => {
    assert.throws(() => setControllerReference(of, by), { code: 'OWNER_OUT_OF_REACH' });
    assert.throws(() => setOwnerReference(of, by), { code: 'OWNER_OUT_OF_REACH' });
  });
}

test('an owner in no namespace reaches everything', () => {
  const node = object('Node', { name: 'n', uid: 'n1' });
  assert.equal(isControlledBy(setControllerReference(pod, node), node), true);
  assert.equal(isControlledBy(setControllerReference(object('Volume', { name: 'v' }), node), node), true);
});

test('an owner that the server has not seen owns nothing', () => {
  const unread = object('Deployment', { name: 'web', namespace: 'one' });
  assert.throws(() => setControllerReference(pod, unread), { code: 'NOT_READ' });
  assert.equal(isControlledBy(pod, unread), false);
});

test('an owner is found by its group and kind, the controller first', () => {
  const other = object('Deployment', { name: 'other', namespace: 'one', uid: 'u3' });
  const owned = setControllerReference(setOwnerReference(pod, other), owner);
  assert.equal(findOwner(owned, { apiVersion: 'apps/v1beta1', kind: 'Deployment' })?.uid, 'u1');
  assert.equal(findOwner(owned, { apiVersion: 'example.io/v1', kind: 'Deployment' }), undefined);
  assert.equal(findOwner(owned, { apiVersion: 'apps/v1', kind: 'ReplicaSet' }), undefined);
});

test('a removed owner is gone, and the others stay', () => {
  const other = object('Deployment', { name: 'other', namespace: 'one', uid: 'u3' });
  const owned = setControllerReference(setOwnerReference(pod, other), owner);
  const left = removeOwnerReference(owned, owner);
  assert.deepEqual(
    left.metadata.ownerReferences?.map(({ uid }) => uid),
    ['u3'],
  );
  assert.equal(removeOwnerReference(left, owner), left);
});
