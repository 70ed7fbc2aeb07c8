import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { differences } from './compare.ts';
import type { Objects } from './seen.ts';
import { snapshotOf } from './snapshot.ts';

interface Run {
  readonly namespace: string;
  readonly uid: string;
  readonly time: string;
  readonly hash: string;
}

const ONE: Run = { namespace: 'm-1', uid: 'u-1', time: '2026-01-01T00:00:00Z', hash: 'sha256:1' };
const OTHER: Run = { namespace: 'm-2', uid: 'u-2', time: '2026-01-02T00:00:00Z', hash: 'sha256:2' };

describe('snapshotOf', () => {
  it('is the same of two runs that differ in names, times, uids and versions', () => {
    assert.deepEqual(differences('x', { now: shown(ONE) }, { now: shown(OTHER) }), []);
  });

  it('shows the order of lists, of which only what both have is compared', () => {
    const inOrder = (...types: readonly string[]): object => {
      const conditions = types.map((type) => ({ type, status: 'True', lastTransitionTime: ONE.time }) as const);
      const [set] = objects(ONE).sets;
      const sets = set === undefined ? [] : [{ ...set, status: { conditions } }];
      return snapshotOf({ ...objects(ONE), sets }, { uids: new Map(), names: {} });
    };
    const pathsOf = (one: object, other: object): readonly string[] =>
      differences('x', { now: one }, { now: other })
        .map(({ path }) => path)
        .filter((path) => path.endsWith('Order'));
    const order = ['now/sets.web.status.conditionOrder'];
    assert.deepEqual(pathsOf(inOrder('A', 'B'), inOrder('B', 'A')), order);
    assert.deepEqual(pathsOf(inOrder('A', 'B', 'C'), inOrder('C', 'A')), order);
    assert.deepEqual(pathsOf(inOrder('A', 'B', 'C'), inOrder('A', 'C')), []);
  });

  it('shows an owner that is not one of the sets', () => {
    const uids = new Map<string, string>();
    const strange = snapshotOf(objects(ONE), { uids, names: {} });
    assert.match(JSON.stringify(strange.bindings), /<unknown>/);
  });

  it('shows a hash that nothing has which was ever written', () => {
    const found = differences('x', { now: shown(ONE) }, { now: shown({ ...OTHER, hash: 'sha256:3' }, 'sha256:2') });
    assert.deepEqual(
      found.map(({ path }) => path),
      ['now/bindings.one.spec.bindings.web.0.hash'],
    );
  });
});

function shown(run: Run, known = run.hash): object {
  const uids = new Map([[run.uid, '<uid of web>']]);
  return snapshotOf(objects(run), { uids, names: { [run.namespace]: '<management>', [known]: '<hash>' } });
}

function objects({ namespace, uid, time, hash }: Run): Objects {
  const metadata = { namespace, resourceVersion: `${uid}-version`, creationTimestamp: time };
  const owner = { apiVersion: 'addons.cluster.x-k8s.io/v1beta2', kind: 'ClusterResourceSet', name: 'web', uid };
  const entry = { kind: 'ConfigMap', name: 'settings', applied: true, hash, lastAppliedTime: time } as const;
  const condition = { type: 'Paused', status: 'False', message: `in ${namespace}`, lastTransitionTime: time } as const;
  return {
    sets: [
      {
        apiVersion: owner.apiVersion,
        kind: owner.kind,
        metadata: { ...metadata, name: 'web', uid },
        spec: { clusterSelector: {}, resources: [] },
        status: { conditions: [condition] },
      },
    ],
    bindings: [
      {
        apiVersion: owner.apiVersion,
        kind: 'ClusterResourceSetBinding',
        metadata: { ...metadata, name: 'one', ownerReferences: [owner] },
        spec: { clusterName: 'one', bindings: [{ clusterResourceSetName: 'web', resources: [entry] }] },
      },
    ],
    configMaps: [],
    secrets: [
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { ...metadata, name: 'secrets' },
        data: { value: Buffer.from(`namespace: ${namespace}`).toString('base64') },
      },
    ],
  };
}
