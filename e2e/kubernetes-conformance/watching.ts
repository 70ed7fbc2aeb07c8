import assert from 'node:assert/strict';
import { custom, daemonSet, definition, deployment, job, map, pod, service, statefulSet } from './documents.ts';
import type { Scenario } from './scenario.ts';

/** Health, and changes made by others. */
export const WATCHING: readonly Scenario[] = [
  {
    name: 'what nobody has to wait for is available at once',
    run: async (rig) => {
      await rig.bring([map('one')]);
      await rig.isSaid('Available');
    },
  },
  {
    name: 'a Deployment is available once its Pods are',
    run: async (rig) => {
      await rig.bring([deployment('web', { replicas: 2 })]);
      await rig.isSaid('Available');
      assert.equal((await rig.live('apps/v1', 'Deployment', 'web')).status?.['availableReplicas'], 2);
    },
  },
  {
    name: 'a Deployment that crashes is degraded, and says so',
    run: async (rig) => {
      await rig.bring([deployment('web', { simulate: 'crashes' })]);
      await rig.isSaid('Degraded', /Deployment.*web.*keeps crashing/s);
    },
  },
  {
    name: 'an image that cannot be pulled is named',
    run: async (rig) => {
      await rig.bring([deployment('web', { simulate: 'image-missing' })]);
      await rig.isSaid('Degraded', /registry\.example\/app:1 cannot be pulled/);
    },
  },
  {
    name: 'a Pod that no node takes is said to wait for room',
    run: async (rig) => {
      await rig.bring([deployment('web', { cpu: '100000' })]);
      await rig.isSaid('Progressing', /no node can run a Pod/);
    },
  },
  {
    name: 'a quota that allows no Pod is named',
    run: async (rig) => {
      const hard = { pods: '0' };
      await rig.byAnother({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none' }, spec: { hard } });
      await rig.until(async () => /exceeded quota/.test(await rig.refusal(pod('probe'))));
      await rig.bring([deployment('web')]);
      await rig.isSaid('Degraded', /quota none does not allow more Pods/);
    },
  },
  {
    name: 'Pods that are never ready are progress, and no defect',
    run: async (rig) => {
      await rig.bring([deployment('web', { simulate: 'unready' })]);
      await rig.isSaid('Progressing', /not all replicas are available yet/);
    },
  },
  {
    name: 'what crashed and is mended is available again',
    run: async (rig) => {
      await rig.bring([deployment('web', { simulate: 'crashes' })]);
      await rig.isSaid('Degraded');
      await rig.bring([deployment('web')]);
      await rig.isSaid('Available');
    },
  },
  {
    name: 'a StatefulSet and a DaemonSet are available once their Pods are',
    run: async (rig) => {
      await rig.bring([statefulSet('db'), daemonSet('node')]);
      await rig.isSaid('Available');
      assert.equal((await rig.live('apps/v1', 'StatefulSet', 'db')).status?.['availableReplicas'], 1);
    },
  },
  {
    name: 'a Job is available once it is done',
    run: async (rig) => {
      await rig.bring([job('work')]);
      await rig.isSaid('Available');
      assert.equal((await rig.live('batch/v1', 'Job', 'work')).status?.['succeeded'], 1);
    },
  },
  {
    name: 'a Job that failed is degraded',
    run: async (rig) => {
      await rig.bring([job('work', { simulate: 'fails' })]);
      await rig.isSaid('Degraded', /Job.*work/s);
    },
  },
  {
    name: 'a Service of type LoadBalancer waits for its address',
    run: async (rig) => {
      await rig.bring([service('web', { type: 'LoadBalancer' })]);
      await rig.isSaid('Progressing', /Service.*web/s);
      const status = { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } };
      await rig.patch('v1', 'Service', 'web', status, 'status');
      await rig.isSaid('Available');
    },
  },
  {
    name: 'a custom object is what its conditions say',
    run: async (rig) => {
      const group = `${rig.namespace}.example.io`;
      await rig.bring([definition(group, { status: true }), custom(group, 'first')]);
      const conditions = (status: string) => ({
        status: { conditions: [{ type: 'Ready', status, message: 'so so' }] },
      });
      await rig.patch(`${group}/v1`, 'Widget', 'first', conditions('False'), 'status');
      await rig.isSaid('Progressing', /first.*so so/s);
      await rig.patch(`${group}/v1`, 'Widget', 'first', conditions('True'), 'status');
      await rig.isSaid('Available');
      await rig.remove();
    },
  },
  {
    name: 'a health rule of the deployment comes on top',
    run: async (rig) => {
      const healthRules = [{ kind: 'ConfigMap', healthy: "object.data.a == '2'" }];
      await rig.bring([map('one')], { healthRules });
      await rig.isSaid('Progressing', /ConfigMap.*one/s);
      await rig.bring([map('one', { a: '2' })], { healthRules });
      await rig.isSaid('Available');
    },
  },
  {
    name: 'of many that are not well, three are named',
    run: async (rig) => {
      const all = Array.from({ length: 5 }, (_, nth) => deployment(`web-${nth}`, { simulate: 'crashes' }));
      await rig.bring(all);
      await rig.isSaid('Degraded', /and 2 more|2 more/);
    },
  },
  {
    name: 'a changed field of ours is reported as drift, and again once it is as it was',
    run: async (rig) => {
      await rig.bring([map('one')]);
      await rig.patch('v1', 'ConfigMap', 'one', { data: { a: 'changed' } });
      assert.match((await rig.drifted()).join('\n'), /one.*data\.a|ConfigMap.*one/s);
      assert.deepEqual((await rig.live('v1', 'ConfigMap', 'one')).data, { a: 'changed' });
      rig.forget();
      await rig.patch('v1', 'ConfigMap', 'one', { data: { a: '1' } });
      assert.deepEqual(await rig.drifted((objects) => objects.length === 0), []);
    },
  },
  {
    name: 'a field that somebody adds is theirs, and no drift',
    run: async (rig) => {
      await rig.bring([map('one'), map('two')]);
      await rig.patch('v1', 'ConfigMap', 'one', { data: { theirs: 'yes' } });
      await rig.patch('v1', 'ConfigMap', 'two', { data: { a: 'changed' } });
      const drift = (await rig.drifted()).join('\n');
      assert.doesNotMatch(drift, /one/);
    },
  },
  {
    name: 'a deleted object is reported as drift',
    run: async (rig) => {
      await rig.bring([map('one')]);
      await rig.delete('v1', 'ConfigMap', 'one');
      assert.match((await rig.drifted()).join('\n'), /one/);
    },
  },
  {
    name: 'with repair a changed field is put back',
    run: async (rig) => {
      await rig.bring([map('one')], { driftPolicy: 'repair' });
      await rig.patch('v1', 'ConfigMap', 'one', { data: { a: 'changed' } });
      await rig.until(async () => (await rig.live('v1', 'ConfigMap', 'one')).data?.['a'] === '1');
    },
  },
  {
    name: 'with repair a deleted object is made anew',
    run: async (rig) => {
      await rig.bring([map('one')], { driftPolicy: 'repair' });
      await rig.delete('v1', 'ConfigMap', 'one');
      await rig.until(async () => (await rig.get('v1', 'ConfigMap', 'one')) !== undefined);
    },
  },
  {
    name: 'another manager that comes back again and again is named instead of fought',
    run: async (rig) => {
      await rig.bring([map('one')], { driftPolicy: 'repair' });
      const again = async (nth: number): Promise<void> => {
        await rig.byAnother(map('one', { a: `theirs-${nth}` }), { manager: 'stubborn', force: true });
      };
      for (let nth = 0; nth < 3; nth += 1) {
        await again(nth);
        await rig.until(async () => (await rig.live('v1', 'ConfigMap', 'one')).data?.['a'] === '1');
      }
      rig.forget();
      await again(9);
      assert.match((await rig.drifted()).join('\n'), /stubborn/);
      assert.deepEqual((await rig.live('v1', 'ConfigMap', 'one')).data, { a: 'theirs-9' });
    },
  },
];
