import assert from 'node:assert/strict';
import { uuidv7 } from '#kit/std';
import { deployment, map, service } from './documents.ts';
import type { Scenario } from './scenario.ts';

const MANY = Array.from({ length: 200 }, (_, nth) => map(`o-${nth}`));

/** Agents and servers that restart, orders in any order, wrong clocks. */
export const ENDURING: readonly Scenario[] = [
  {
    name: 'an agent that ends in the middle of applying goes on where it was',
    run: async (rig) => {
      await rig.deliver(MANY);
      await rig.until(async () => (await rig.get('v1', 'ConfigMap', 'o-3')) !== undefined);
      await rig.stopAgent();
      await rig.startAgent();
      await rig.applied();
      await rig.live('v1', 'ConfigMap', 'o-199');
      await rig.bring([map('o-0')]);
      await rig.gone('v1', 'ConfigMap', 'o-199');
    },
  },
  {
    name: 'an order that was accepted is carried out by the next agent',
    run: async (rig) => {
      await rig.bring([map('one')]);
      await rig.deliver([map('one', { a: '2' })]);
      await rig.stopAgent();
      await rig.startAgent();
      await rig.until(async () => (await rig.live('v1', 'ConfigMap', 'one')).data?.['a'] === '2');
    },
  },
  {
    name: 'an agent that ends in the middle of a removal goes on with it',
    run: async (rig) => {
      await rig.bring(MANY);
      await rig.startRemoval();
      await rig.stopAgent();
      await rig.startAgent();
      await rig.removed();
      await rig.gone('v1', 'ConfigMap', 'o-199');
    },
  },
  {
    name: 'drift while there was no agent is seen by the next one',
    run: async (rig) => {
      await rig.bring([map('one')], { driftPolicy: 'repair' });
      await rig.stopAgent();
      await rig.patch('v1', 'ConfigMap', 'one', { data: { a: 'changed' } });
      await rig.startAgent();
      await rig.until(async () => (await rig.live('v1', 'ConfigMap', 'one')).data?.['a'] === '1');
    },
  },
  {
    name: 'an earlier revision is fenced off',
    run: async (rig) => {
      await rig.bring([map('one')], { revision: 7 });
      const answer = await rig.agent.dispatch(rig.order([map('one', { a: 'old' })], { revision: 6 }), rig.signal);
      assert.deepEqual(answer, { kind: 'fenced', seen: 7 });
      assert.deepEqual((await rig.live('v1', 'ConfigMap', 'one')).data, { a: '1' });
    },
  },
  {
    name: 'an earlier revision is fenced off after a removal and a restart, too',
    run: async (rig) => {
      await rig.bring([map('one')], { revision: 7 });
      await rig.remove();
      await rig.stopAgent();
      await rig.startAgent();
      const answer = await rig.agent.dispatch(rig.order([map('one')], { revision: 7 }), rig.signal);
      assert.deepEqual(answer, { kind: 'fenced', seen: 8 });
      assert.equal(await rig.get('v1', 'ConfigMap', 'one'), undefined);
    },
  },
  {
    name: 'the same order twice is applied once, and told twice',
    run: async (rig) => {
      await rig.bring([map('one')]);
      const before = await rig.live('v1', 'ConfigMap', 'one');
      rig.forget();
      await rig.deliver([map('one')], { revision: 1 });
      await rig.applied();
      const after = await rig.live('v1', 'ConfigMap', 'one');
      assert.equal(after.metadata.resourceVersion, before.metadata.resourceVersion);
    },
  },
  {
    name: 'a revision that comes while the one before is stuck takes over',
    run: async (rig) => {
      await rig.deliver([{ apiVersion: 'nowhere.example.io/v1', kind: 'Thing', metadata: { name: 'x' } }]);
      await rig.isSaid('Unknown', /not served/);
      await rig.bring([map('one')]);
      await rig.isSaid('Available');
    },
  },
  {
    name: 'a deployment that is stuck holds up no other',
    run: async (rig) => {
      const stuck = uuidv7();
      await rig.deliver([service('bad', { ports: [{ port: 0 }] })], { deployment: stuck });
      await rig.deliver([{ apiVersion: 'nowhere.example.io/v1', kind: 'Thing', metadata: { name: 'x' } }], {
        deployment: uuidv7(),
      });
      await rig.bring([map('one')]);
    },
  },
  {
    name: 'what was delivered and then cancelled is not gone on with',
    run: async (rig) => {
      await rig.deliver([{ apiVersion: 'nowhere.example.io/v1', kind: 'Thing', metadata: { name: 'x' } }, map('one')]);
      await rig.isSaid('Unknown', /not served/);
      const { target, deployment: its, revision } = rig;
      await rig.agent.cancel({ target, deployment: its, revision }, rig.signal);
      rig.forget();
      await rig.bring([map('two')]);
      await rig.live('v1', 'ConfigMap', 'two');
    },
  },
  {
    name: 'a clock that is a day behind, or ahead, changes nothing',
    run: async (rig) => {
      await rig.bring([deployment('web')], { driftPolicy: 'repair' });
      await rig.isSaid('Available');
      await rig.patch('apps/v1', 'Deployment', 'web', { spec: { replicas: 2 } });
      await rig.until(async () => (await rig.live('apps/v1', 'Deployment', 'web')).spec?.['replicas'] === 1);
    },
  },
  {
    name: 'what it holds is said after a restart, with its health',
    run: async (rig) => {
      await rig.bring([deployment('web')]);
      await rig.isSaid('Available');
      await rig.stopAgent();
      await rig.startAgent();
      await rig.until(async () => (await rig.inventory()).holdings[0]?.health === 'Available');
      const { holdings, instance } = await rig.inventory();
      assert.equal(holdings[0]?.revision, 1);
      assert.equal(instance, (await rig.live('v1', 'Namespace', 'kube-system')).metadata.uid);
    },
  },
  {
    name: 'an API server that is restarted in the middle of applying',
    own: { size: 'apiserver' },
    run: async (rig) => {
      await rig.deliver(MANY);
      await rig.until(async () => (await rig.get('v1', 'ConfigMap', 'o-3')) !== undefined);
      await rig.cluster.restart();
      await rig.applied();
      await rig.until(async () => (await rig.get('v1', 'ConfigMap', 'o-199').catch(() => undefined)) !== undefined);
    },
  },
  {
    name: 'an API server that is frozen for a while loses nothing',
    own: { size: 'apiserver' },
    run: async (rig) => {
      await rig.deliver(MANY);
      rig.cluster.freeze();
      setTimeout(() => rig.cluster.thaw(), 1_000);
      await rig.applied();
      await rig.live('v1', 'ConfigMap', 'o-199');
    },
  },
  {
    name: 'a watch that expired begins anew, and drift is seen after it',
    own: { size: 'apiserver', ownEtcd: true, apiServerFlags: ['--watch-cache=false'] },
    run: async (rig) => {
      await rig.bring([map('one')], { driftPolicy: 'repair' });
      await rig.isSaid('Available');
      await rig.cluster.stop();
      await rig.cluster.compact();
      await rig.cluster.start();
      await rig.until(
        async () =>
          await rig.patch('v1', 'ConfigMap', 'one', { data: { a: 'changed' } }).then(
            () => true,
            () => false,
          ),
      );
      await rig.until(async () => (await rig.live('v1', 'ConfigMap', 'one')).data?.['a'] === '1');
    },
  },
];
