import assert from 'node:assert/strict';
import { uuidv7 } from '#kit/std';
import { custom, definition, deployment, job, map, service, statefulSet } from './documents.ts';
import type { Scenario } from './scenario.ts';

const OWNER = { metadata: { finalizers: ['example.io/holds'] } };

/** Ownership: pruning, conflicts, adoption, fields of other managers. */
export const OWNING: readonly Scenario[] = [
  {
    name: 'what left the spec is pruned, and nothing else',
    run: async (rig) => {
      await rig.byAnother(map('bystander'));
      await rig.bring([map('one'), map('two')]);
      await rig.bring([map('one')]);
      await rig.gone('v1', 'ConfigMap', 'two');
      await rig.live('v1', 'ConfigMap', 'one');
      await rig.live('v1', 'ConfigMap', 'bystander');
    },
  },
  {
    name: 'an empty spec prunes all of the deployment, and nothing of others',
    run: async (rig) => {
      await rig.byAnother(map('bystander'));
      await rig.bring([map('one'), map('two')]);
      await rig.bring([]);
      await rig.gone('v1', 'ConfigMap', 'one');
      await rig.live('v1', 'ConfigMap', 'bystander');
    },
  },
  {
    name: 'a kind that left the spec is pruned, too',
    run: async (rig) => {
      await rig.bring([map('one'), service('web')]);
      await rig.bring([map('one')]);
      await rig.gone('v1', 'Service', 'web');
    },
  },
  {
    name: 'pruning goes on after an agent was restarted in between',
    run: async (rig) => {
      await rig.bring([map('one'), map('two')]);
      await rig.stopAgent();
      await rig.startAgent();
      await rig.bring([map('one')]);
      await rig.gone('v1', 'ConfigMap', 'two');
    },
  },
  {
    name: 'nothing is pruned while something that is wanted could not be applied',
    run: async (rig) => {
      await rig.bring([map('one'), map('two')]);
      await rig.deliver([map('one'), service('bad', { ports: [{ port: 0 }] })]);
      assert.match(await rig.failed(), /bad/);
      await rig.live('v1', 'ConfigMap', 'two');
    },
  },
  {
    name: 'an object that somebody deleted and made anew under its name is not pruned',
    run: async (rig) => {
      await rig.bring([map('one'), map('two')]);
      await rig.stopAgent();
      await rig.delete('v1', 'ConfigMap', 'two');
      await rig.byAnother(map('two', { theirs: 'yes' }));
      await rig.startAgent();
      await rig.bring([map('one')]);
      assert.deepEqual((await rig.live('v1', 'ConfigMap', 'two')).data, { theirs: 'yes' });
    },
  },
  {
    name: 'an object of somebody else is a conflict that names its manager, and nothing at all is written',
    run: async (rig) => {
      await rig.byAnother(map('taken', { theirs: 'yes' }), { manager: 'their-tool' });
      await rig.deliver([map('beside'), map('taken')]);
      assert.match(await rig.failed(), /taken.*their-tool.*onConflict: adopt/s);
      assert.equal(await rig.get('v1', 'ConfigMap', 'beside'), undefined);
    },
  },
  {
    name: 'adopt takes an object over, its own fields stay, and it is pruned from then on',
    run: async (rig) => {
      await rig.byAnother(map('taken', { theirs: 'yes' }));
      await rig.bring([map('keep'), map('taken', { ours: 'yes' })], { policy: { onConflict: 'adopt' } });
      assert.deepEqual((await rig.live('v1', 'ConfigMap', 'taken')).data, { ours: 'yes', theirs: 'yes' });
      await rig.bring([map('keep')], { policy: { onConflict: 'adopt' } });
      await rig.gone('v1', 'ConfigMap', 'taken');
    },
  },
  {
    name: 'adopt takes no field that somebody else set to something else: the manager and the field are named',
    run: async (rig) => {
      await rig.byAnother(map('taken', { a: 'theirs' }), { manager: 'their-tool' });
      await rig.deliver([map('taken', { a: 'ours' })], { policy: { onConflict: 'adopt' } });
      assert.match(await rig.failed(), /their-tool.*data\.a|data\.a.*their-tool/s);
      assert.deepEqual((await rig.live('v1', 'ConfigMap', 'taken')).data, { a: 'theirs' });
    },
  },
  {
    name: 'force takes the field, too',
    run: async (rig) => {
      await rig.byAnother(map('taken', { a: 'theirs' }));
      await rig.bring([map('taken', { a: 'ours' })], { policy: { onConflict: 'force' } });
      assert.deepEqual((await rig.live('v1', 'ConfigMap', 'taken')).data, { a: 'ours' });
    },
  },
  {
    name: 'two deployments never have one object, whatever the policy',
    run: async (rig) => {
      await rig.bring([map('shared')]);
      await rig.deliver([map('shared', { a: '2' })], { deployment: uuidv7(), policy: { onConflict: 'force' } });
      const said = await rig.reports.until(({ kind }) => kind === 'failed', rig.signal);
      assert.ok('message' in said && said.message.includes(rig.deployment), JSON.stringify(said));
      assert.deepEqual((await rig.live('v1', 'ConfigMap', 'shared')).data, { a: '1' });
    },
  },
  {
    name: 'observe compares, reports what differs and writes nothing',
    run: async (rig) => {
      await rig.byAnother(map('taken', { a: 'theirs' }));
      const before = await rig.live('v1', 'ConfigMap', 'taken');
      await rig.bring([map('taken', { a: 'ours' }), map('missing')], { policy: { mode: 'observe' } });
      const drift = (await rig.drifted()).join('\n');
      assert.match(drift, /taken/);
      assert.match(drift, /missing/);
      const after = await rig.live('v1', 'ConfigMap', 'taken');
      assert.equal(after.metadata.resourceVersion, before.metadata.resourceVersion);
      assert.equal(await rig.get('v1', 'ConfigMap', 'missing'), undefined);
    },
  },
  {
    name: 'what was observed can be taken over with the next revision',
    run: async (rig) => {
      await rig.byAnother(map('taken', { a: '1' }));
      await rig.bring([map('taken')], { policy: { mode: 'observe' } });
      await rig.bring([map('taken')], { policy: { onConflict: 'adopt' } });
      const { metadata } = await rig.live('v1', 'ConfigMap', 'taken');
      assert.equal(metadata.labels?.['fleetshift.io/deployment'], rig.deployment);
    },
  },
  {
    name: 'release lets go of objects and leaves them, also when the deployment is removed',
    run: async (rig) => {
      await rig.bring([map('one')]);
      const before = await rig.live('v1', 'ConfigMap', 'one');
      await rig.bring([map('one')], { policy: { mode: 'release' } });
      await rig.remove();
      const after = await rig.live('v1', 'ConfigMap', 'one');
      assert.equal(after.metadata.uid, before.metadata.uid);
      assert.equal(after.metadata.resourceVersion, before.metadata.resourceVersion);
    },
  },
  {
    name: 'replicas that an autoscaler owns are left to it: in apply, in diffs and in drift',
    run: async (rig) => {
      const policy = { ignoreFields: [{ apiGroup: 'apps', kind: 'Deployment', fields: ['/spec/replicas'] }] };
      await rig.bring([deployment('web', { replicas: 1 })], { policy });
      await rig.patch('apps/v1', 'Deployment', 'web', { spec: { replicas: 3 } });
      const { changes } = await rig.preview([deployment('web', { replicas: 1 })], { policy });
      assert.doesNotMatch(changes.join('\n'), /replicas/);
      await rig.bring([deployment('web', { replicas: 1 }), map('one')], { policy });
      assert.equal((await rig.live('apps/v1', 'Deployment', 'web')).spec?.['replicas'], 3);
      assert.deepEqual(
        rig.reports.ofKind('drift').filter(({ objects }) => objects.length > 0),
        [],
      );
    },
  },
  {
    name: 'an immutable field is a clear error, and the object stays as it is',
    run: async (rig) => {
      await rig.bring([job('work')]);
      const before = await rig.live('batch/v1', 'Job', 'work');
      await rig.deliver([job('work', {}, 'registry.example/app:2')]);
      assert.match(await rig.failed(), /Job.*work.*cannot be changed.*onImmutable: replace/s);
      assert.equal((await rig.live('batch/v1', 'Job', 'work')).metadata.uid, before.metadata.uid);
    },
  },
  {
    name: 'with replace the object is made anew',
    run: async (rig) => {
      await rig.bring([job('work')]);
      const before = await rig.live('batch/v1', 'Job', 'work');
      await rig.bring([job('work', {}, 'registry.example/app:2')], { policy: { onImmutable: 'replace' } });
      const after = await rig.live('batch/v1', 'Job', 'work');
      assert.notEqual(after.metadata.uid, before.metadata.uid);
      assert.ok(JSON.stringify(after.spec).includes('app:2'));
    },
  },
  {
    name: 'a StatefulSet whose service name changes is replaced when told',
    run: async (rig) => {
      await rig.bring([statefulSet('db')]);
      await rig.deliver([statefulSet('db', { serviceName: 'other' })]);
      assert.match(await rig.failed(), /StatefulSet.*db.*cannot be changed/s);
      await rig.bring([statefulSet('db', { serviceName: 'other' })], { policy: { onImmutable: 'replace' } });
      assert.equal((await rig.live('apps/v1', 'StatefulSet', 'db')).spec?.['serviceName'], 'other');
    },
  },
  {
    name: 'a removed deployment takes its objects along, and what others made stays',
    run: async (rig) => {
      await rig.byAnother(map('bystander'));
      await rig.bring([map('one'), deployment('web')]);
      await rig.remove();
      await rig.gone('apps/v1', 'Deployment', 'web');
      await rig.live('v1', 'ConfigMap', 'bystander');
      assert.deepEqual((await rig.inventory()).holdings, []);
    },
  },
  {
    name: 'deletion says which finalizers hold it, and ends once they are gone',
    run: async (rig) => {
      await rig.bring([map('one')]);
      await rig.patch('v1', 'ConfigMap', 'one', OWNER);
      await rig.startRemoval();
      await rig.isSaid('Unknown', /one.*example\.io\/holds/s);
      await rig.patch('v1', 'ConfigMap', 'one', { metadata: { finalizers: null } });
      await rig.removed();
    },
  },
  {
    name: 'custom objects go before their definition',
    run: async (rig) => {
      const group = `${rig.namespace}.example.io`;
      await rig.bring([definition(group), custom(group, 'first')]);
      await rig.patch(`${group}/v1`, 'Widget', 'first', OWNER);
      await rig.startRemoval();
      await rig.isSaid('Unknown', /first.*example\.io\/holds/s);
      const held = await rig.live('apiextensions.k8s.io/v1', 'CustomResourceDefinition', `widgets.${group}`);
      assert.equal(held.metadata.deletionTimestamp, undefined);
      await rig.patch(`${group}/v1`, 'Widget', 'first', { metadata: { finalizers: null } });
      await rig.removed();
      await rig.gone('apiextensions.k8s.io/v1', 'CustomResourceDefinition', `widgets.${group}`);
    },
  },
  {
    name: 'an object that somebody else deletes is waited for and made anew',
    run: async (rig) => {
      await rig.bring([map('one')]);
      await rig.patch('v1', 'ConfigMap', 'one', OWNER);
      await rig.delete('v1', 'ConfigMap', 'one');
      await rig.deliver([map('one', { a: '2' })]);
      await rig.isSaid('Unknown', /one.*is being deleted/s);
      await rig.patch('v1', 'ConfigMap', 'one', { metadata: { finalizers: null } });
      await rig.applied();
      assert.deepEqual((await rig.live('v1', 'ConfigMap', 'one')).data, { a: '2' });
    },
  },
  {
    name: 'a namespace of the deployment is deleted with all that is in it',
    run: async (rig) => {
      const name = `${rig.namespace}-whole`;
      const inside = { ...map('one'), metadata: { name: 'one', namespace: name } };
      await rig.bring([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, inside]);
      await rig.remove();
      await rig.gone('v1', 'Namespace', name);
    },
  },
];
