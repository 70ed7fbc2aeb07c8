import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FakeCluster } from '../testing/fake-cluster.ts';
import { appliedState, driftOf, heldHash } from './drift.ts';
import { parseFieldPattern } from './field-pattern.ts';
import { FIELD_MANAGER, type KubeObject, keyOf, type ManagedFields } from './kube-object.ts';

function map(data: object): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' }, data } as KubeObject;
}

function done(cluster: FakeCluster, manager: string, object: KubeObject, force = false): KubeObject {
  const answer = cluster.applyAs(manager, object, { force });
  assert.ok(answer.kind === 'done');
  return answer.object;
}

const value = fc.constantFrom('1', '2', '3');
const data = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value, { noNullPrototype: true, minKeys: 1 });

describe('drift', () => {
  it('is exactly what somebody changed of ours, with who it was', () => {
    fc.assert(
      fc.property(data, data, (ours, theirs) => {
        const cluster = new FakeCluster();
        const applied = appliedState(done(cluster, FIELD_MANAGER, map(ours)));
        const drift = driftOf(applied, done(cluster, 'kubectl', map(theirs), true), []);
        const changed = Object.keys(ours).filter((name) => name in theirs && ours[name] !== theirs[name]);
        const fields = changed.sort().map((name) => ({ path: `.data.${name}`, manager: 'kubectl' }));
        assert.deepEqual(drift, fields.length === 0 ? { kind: 'none' } : { kind: 'changed', fields });
      }),
    );
  });

  it('is gone once it was applied again, and the hash is the same as before', () => {
    fc.assert(
      fc.property(data, data, (ours, theirs) => {
        const cluster = new FakeCluster();
        const first = done(cluster, FIELD_MANAGER, map(ours));
        const changed = done(cluster, 'kubectl', map(theirs), true);
        const isDrifted = driftOf(appliedState(first), changed, []).kind !== 'none';
        assert.equal(heldHash(changed, []) !== heldHash(first, []), isDrifted);
        const repaired = done(cluster, FIELD_MANAGER, map(ours), true);
        assert.deepEqual(driftOf(appliedState(first), repaired, []), { kind: 'none' });
        assert.equal(heldHash(repaired, []), heldHash(first, []));
      }),
    );
  });

  it('is an object that is gone, or is another one', () => {
    const cluster = new FakeCluster();
    const object = map({ a: '1' });
    const applied = appliedState(done(cluster, FIELD_MANAGER, object));
    cluster.remove(keyOf(object));
    assert.deepEqual(driftOf(applied, cluster.peek(keyOf(object)), []), { kind: 'deleted' });
    assert.deepEqual(driftOf(applied, done(cluster, 'kubectl', object), []), { kind: 'replaced' });
  });

  it('is none in fields that are ignored, and in items of lists by whatever order', () => {
    const fieldsV1 = {
      'f:spec': {
        'f:replicas': {},
        'f:ports': { 'k:{"port":80}': { 'f:name': {} } },
        'f:empty': { '.': {} },
        'f:set': { 'v:"x"': {} },
        'f:at': { 'i:1': {} },
        'q:later': {},
      },
    };
    const managedFields: readonly ManagedFields[] = [{ manager: 'fleetshift', operation: 'Apply', fieldsV1 }];
    const its = (spec: object) => ({ ...map({}), metadata: { name: 'a', uid: 'u', managedFields }, spec });
    const applied = appliedState(
      its({ replicas: 1, ports: [{ port: 80, name: 'a' }], empty: {}, set: ['x'], at: [1, 2] }),
    );
    const same = {
      replicas: 1,
      ports: [{ port: 81 }, { port: 80, name: 'a' }],
      empty: { b: 1 },
      set: ['y', 'x'],
      at: [3, 2],
    };
    assert.deepEqual(driftOf(applied, its(same), []), { kind: 'none' });
    const replicas = parseFieldPattern('/spec/replicas');
    assert.ok(typeof replicas !== 'string');
    assert.deepEqual(driftOf(applied, its({ ...same, replicas: 5 }), [replicas]), { kind: 'none' });
    assert.equal(
      heldHash(its({ ...same, replicas: 5 }), [replicas]),
      heldHash(its({ ...same, replicas: 1 }), [replicas]),
    );
    const drift = driftOf(applied, its({ replicas: 5, ports: [{ port: 80, name: 'b' }], at: [1, 9] }), []);
    assert.deepEqual(drift.kind === 'changed' && drift.fields.map(({ path }) => path), [
      '.spec.at[1]',
      '.spec.empty',
      '.spec.ports[port=80].name',
      '.spec.replicas',
      '.spec.set[="x"]',
    ]);
  });

  it('is about the object itself, not about what we may have written to its status', () => {
    const managedFields: readonly ManagedFields[] = [
      { manager: 'fleetshift', operation: 'Apply', subresource: 'status', fieldsV1: { 'f:status': { 'f:x': {} } } },
      { manager: 'fleetshift', operation: 'Update', fieldsV1: { 'f:data': { 'f:b': {} } } },
      { manager: 'fleetshift', operation: 'Apply', fieldsV1: { 'f:data': { 'f:a': {} } } },
    ];
    const { fields } = appliedState({ ...map({}), metadata: { name: 'a', managedFields } });
    assert.deepEqual(fields, { 'f:data': { 'f:a': {} } });
  });

  it('names who has what is around a field, and nobody who has one that only begins alike', () => {
    const managed = (manager: string, fieldsV1: object): ManagedFields => ({ manager, operation: 'Apply', fieldsV1 });
    const its = (text: string, ...managedFields: ManagedFields[]) => ({
      ...map({ ab: { c: text } }),
      metadata: { name: 'a', uid: 'u', managedFields },
    });
    const applied = appliedState(its('1', managed('fleetshift', { 'f:data': { 'f:ab': { 'f:c': {} } } })));
    const who = (...managedFields: ManagedFields[]) => {
      const drift = driftOf(applied, its('2', ...managedFields), []);
      return drift.kind === 'changed' ? drift.fields[0]?.manager : drift.kind;
    };
    assert.equal(who(managed('x', { 'f:data': { 'f:a': {} } }), managed('y', { 'f:data': { 'f:ab': {} } })), 'y');
    assert.equal(
      who(managed('x', { 'f:data': { 'f:ab': {} } }), managed('y', { 'f:data': { 'f:ab': { 'f:c': {} } } })),
      'y',
    );
    assert.equal(who(managed('x', { 'f:data': { 'f:a': {} } })), undefined);
  });
});
