import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differences } from './cluster-inventory.ts';

const BEFORE = new Map([
  ['configmaps default/a', 'uid-1 00'],
  ['configmaps default/b', 'uid-2 00'],
  ['configmaps default/c', 'uid-3 00'],
]);

test('an inventory that is the same but for the records of an agent has no differences', () => {
  const own = ['namespaces fleetshift-system', 'secrets fleetshift-system/fleetshift-inventory-01a1-0'];
  assert.deepEqual(differences(BEFORE, new Map([...BEFORE, ...own.map((key) => [key, 'uid-9 00'] as const)])), []);
});

test('what is gone, left, replaced or changed is named', () => {
  const after = new Map([
    ['configmaps default/b', 'uid-7 00'],
    ['configmaps default/c', 'uid-3 11'],
    ['configmaps fleetshift-system/other', 'uid-8 00'],
  ]);
  assert.deepEqual(differences(BEFORE, after), [
    'changed: configmaps default/b: uid-2 00 is uid-7 00',
    'changed: configmaps default/c: uid-3 00 is uid-3 11',
    'gone: configmaps default/a',
    'left: configmaps fleetshift-system/other',
  ]);
});
