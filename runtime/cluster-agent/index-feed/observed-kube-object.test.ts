import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { observedKubeObject } from './observed-kube-object.ts';

const SECRET = 'bm90LXRvLWJlLXNlZW4=';

describe('an object of a cluster, as the index sees it', () => {
  for (const kind of ['Secret', 'ConfigMap']) {
    it(`has the names of keys of a ${kind}, and no value, wherever that is`, () => {
      const object = {
        apiVersion: 'v1',
        kind,
        metadata: {
          name: 'a',
          annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"data":"${SECRET}"}`, kept: 'yes' },
          managedFields: [{ manager: SECRET }],
        },
        data: { password: SECRET },
        stringData: { other: SECRET },
        binaryData: { third: SECRET },
      };
      const { body } = observedKubeObject(`v1/${kind}`, object);
      assert.equal(JSON.stringify(body).includes(SECRET), false);
      assert.partialDeepStrictEqual(body, { metadata: { annotations: { kept: 'yes' } }, data: { password: {} } });
    });
  }

  it('knows where it is from, and whose it is', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'u-1', controller: true };
    const conditions = [
      { type: 'Ready', status: 'True', reason: 'Fine', message: 'long' },
      'nonsense',
      { status: 'True' },
    ];
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'web',
        namespace: 'shop',
        uid: 'u-2',
        labels: { 'fleetshift.io/deployment': 'd-1' },
        ownerReferences: [owner],
        creationTimestamp: '2030-01-01T00:00:00Z',
      },
      status: { conditions },
    };
    const { body: _, ...rest } = observedKubeObject('v1/Pod', object);
    assert.deepEqual(rest, {
      key: { type: 'v1/Pod', namespace: 'shop', name: 'web' },
      uid: 'u-2',
      deployment: 'd-1',
      labels: { 'fleetshift.io/deployment': 'd-1' },
      owners: [{ type: 'apps/v1/ReplicaSet', name: 'web-1', uid: 'u-1' }],
      conditions: [{ type: 'Ready', status: 'True', reason: 'Fine' }],
      createTime: Date.UTC(2030, 0, 1),
    });
  });
});
