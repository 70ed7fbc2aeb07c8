import assert from 'node:assert/strict';
import { custom, definition, deployment, map, namespaceOf, secret, service } from './documents.ts';
import type { Scenario } from './scenario.ts';

const LABEL = 'fleetshift.io/deployment';

export const APPLYING: readonly Scenario[] = [
  {
    name: 'objects are made, with the tracking label and the field manager fleetshift',
    run: async (rig) => {
      await rig.bring([map('one'), secret('two', 'hush')]);
      const { metadata } = await rig.live('v1', 'ConfigMap', 'one');
      assert.equal(metadata.labels?.[LABEL], rig.deployment);
      const managers = metadata.managedFields?.map((each) => (each as { manager?: string }).manager);
      assert.deepEqual(managers, ['fleetshift']);
    },
  },
  {
    name: 'the label is not in templates of Pods, so that a new deployment of the same starts no Pod anew',
    run: async (rig) => {
      await rig.bring([deployment('web')]);
      const { spec } = await rig.live('apps/v1', 'Deployment', 'web');
      assert.ok(!JSON.stringify(spec).includes(LABEL));
    },
  },
  {
    name: 'an object that is as it should be is not written again',
    run: async (rig) => {
      await rig.bring([map('one'), map('two')]);
      const before = await rig.live('v1', 'ConfigMap', 'one');
      await rig.bring([map('one'), map('two', { a: '2' })]);
      const after = await rig.live('v1', 'ConfigMap', 'one');
      assert.equal(after.metadata.resourceVersion, before.metadata.resourceVersion);
      assert.deepEqual((await rig.live('v1', 'ConfigMap', 'two')).data, { a: '2' });
    },
  },
  {
    name: 'a field that left the document leaves the object',
    run: async (rig) => {
      await rig.bring([map('one', { a: '1', b: '2' })]);
      await rig.bring([map('one', { a: '1' })]);
      assert.deepEqual((await rig.live('v1', 'ConfigMap', 'one')).data, { a: '1' });
    },
  },
  {
    name: 'a namespace and what is in it come in one payload, in whatever order',
    run: async (rig) => {
      const name = `${rig.namespace}-inner`;
      await rig.bring([{ ...map('one'), metadata: { name: 'one', namespace: name } }, namespaceOf(name)]);
      await rig.live('v1', 'ConfigMap', 'one', name);
      await rig.remove();
    },
  },
  {
    name: 'a definition and objects of its kind come in one payload',
    run: async (rig) => {
      const group = `${rig.namespace}.example.io`;
      await rig.bring([custom(group, 'first', { spec: { size: 3 } }), definition(group)]);
      assert.deepEqual((await rig.live(`${group}/v1`, 'Widget', 'first')).spec, { size: 3 });
      await rig.remove();
    },
  },
  {
    name: 'a kind that is not served yet is waited for, and says so',
    run: async (rig) => {
      const group = `${rig.namespace}.example.io`;
      await rig.deliver([map('beside'), custom(group, 'first')]);
      await rig.isSaid('Unknown', new RegExp(`${group}/v1/Widget is not served yet`));
      await rig.byAnother(definition(group));
      await rig.applied();
      await rig.live(`${group}/v1`, 'Widget', 'first');
      await rig.remove();
      await rig.delete('apiextensions.k8s.io/v1', 'CustomResourceDefinition', `widgets.${group}`);
    },
  },
  {
    name: 'a namespace that is not there yet is waited for',
    run: async (rig) => {
      const name = `${rig.namespace}-late`;
      await rig.deliver([{ ...map('one'), metadata: { name: 'one', namespace: name } }]);
      await rig.isSaid('Unknown', new RegExp(name));
      await rig.byAnother(namespaceOf(name));
      await rig.applied();
      await rig.remove();
      await rig.delete('v1', 'Namespace', name);
    },
  },
  {
    name: 'cluster-wide and namespaced objects come in one payload',
    run: async (rig) => {
      const name = `${rig.namespace}-reader`;
      const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }];
      const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules };
      await rig.bring([map('one'), role]);
      await rig.live('rbac.authorization.k8s.io/v1', 'ClusterRole', name);
      await rig.remove();
      await rig.gone('rbac.authorization.k8s.io/v1', 'ClusterRole', name);
    },
  },
  {
    name: 'a document of the same object twice is refused, naming both',
    run: async (rig) => {
      await rig.deliver([map('one'), map('two'), map('one', { a: '2' })]);
      assert.match(await rig.rejected(), /ConfigMap.*one/);
      assert.equal(await rig.get('v1', 'ConfigMap', 'two'), undefined);
    },
  },
  {
    name: 'a document that is no object is refused',
    run: async (rig) => {
      await rig.deliver([{ hello: 'world' }]);
      assert.match(await rig.rejected(), /apiVersion|kind/);
    },
  },
  {
    name: 'an unknown field is refused, and named',
    run: async (rig) => {
      await rig.deliver([service('web', { portz: [] })]);
      assert.match(await rig.failed(), /portz/);
    },
  },
  {
    name: 'a policy that is not understood is refused, and nothing is written',
    run: async (rig) => {
      await rig.deliver([map('one')], { policy: { onConflict: 'shrug' } });
      assert.match(await rig.rejected(), /onConflict must be one of fail, adopt, force/);
      assert.equal(await rig.get('v1', 'ConfigMap', 'one'), undefined);
    },
  },
  {
    name: 'a webhook that rejects is named with what it says, and what it let through stays known',
    run: async (rig) => {
      const bindings = `${rig.namespace}-no-forbidden`;
      await refuseMapsNamed(rig, bindings, 'forbidden');
      await rig.until(async () => (await rig.preview([map('forbidden')])).kind === 'wouldReject');
      await rig.deliver([map('allowed'), map('forbidden')]);
      assert.match(await rig.failed(), /ConfigMap.*forbidden.*not that one/s);
      await rig.bring([map('allowed')]);
      await rig.live('v1', 'ConfigMap', 'allowed');
      await rig.delete('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', bindings);
      await rig.delete('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', bindings);
    },
  },
  {
    name: 'a webhook that nobody answers for is an error that says which',
    run: async (rig) => {
      const name = `${rig.namespace}-dead`;
      const clientConfig = { url: 'https://127.0.0.1:1/refuse' };
      const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
      const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': rig.namespace } };
      const webhook = { name: 'dead.example.io', clientConfig, rules, namespaceSelector, timeoutSeconds: 2 };
      const webhooks = [{ ...webhook, sideEffects: 'None', admissionReviewVersions: ['v1'], failurePolicy: 'Fail' }];
      const apiVersion = 'admissionregistration.k8s.io/v1';
      await rig.byAnother({ apiVersion, kind: 'ValidatingWebhookConfiguration', metadata: { name }, webhooks });
      // Waits until previews fail: behind a dead webhook the outcome cannot be predicted.
      await rig.until(
        async () =>
          await rig.preview([map('probe')]).then(
            () => false,
            () => true,
          ),
      );
      await rig.deliver([map('one')]);
      await rig.reports.until((said) => 'message' in said && /dead\.example\.io/.test(said.message), rig.signal);
      await rig.delete(apiVersion, 'ValidatingWebhookConfiguration', name);
      // The agent continues by itself, without another delivery.
      await rig.applied();
    },
  },
  {
    name: 'a quota that refuses an object is named',
    run: async (rig) => {
      // One exists already, with the cluster's CA.
      const hard = { 'count/configmaps': '1' };
      await rig.byAnother({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'few' }, spec: { hard } });
      await rig.until(async () => /exceeded quota/.test(await rig.refusal(map('probe'))));
      await rig.deliver([map('one')]);
      assert.match(await rig.failed(), /exceeded quota: few/);
    },
  },
  {
    name: 'a payload above the limit of etcd is delivered, and taken away again',
    run: async (rig) => {
      const large = Array.from({ length: 6 }, (_, nth) => map(`large-${nth}`, { text: noise(nth, 600_000) }));
      await rig.bring(large);
      await rig.remove();
      await rig.gone('v1', 'ConfigMap', 'large-5');
    },
  },
  {
    name: '5,000 objects in one deployment; the next revision of one writes one; all go with it',
    run: async (rig) => {
      const all = Array.from({ length: 5_000 }, (_, nth) => map(`o-${nth}`));
      await rig.bring(all);
      const before = await rig.live('v1', 'ConfigMap', 'o-4999');
      await rig.bring(all.map((one, nth) => (nth === 0 ? map('o-0', { a: '2' }) : one)));
      assert.deepEqual((await rig.live('v1', 'ConfigMap', 'o-0')).data, { a: '2' });
      const after = await rig.live('v1', 'ConfigMap', 'o-4999');
      assert.equal(after.metadata.resourceVersion, before.metadata.resourceVersion);
      await rig.isSaid('Available');
      await rig.remove();
      await rig.gone('v1', 'ConfigMap', 'o-4999');
    },
  },
  {
    name: 'a preview says field by field what would change, keeps the secret, and leaves no trace',
    run: async (rig) => {
      await rig.bring([map('one', { a: '1' }), secret('two', 'hush'), map('old')]);
      const { kind, changes } = await rig.preview([map('one', { a: '2' }), secret('two', 'louder'), map('new')]);
      const text = changes.join('\n');
      assert.equal(kind, 'wouldApply');
      for (const part of [/one/, /data\.a/, /create.*new/, /delete.*old/]) assert.match(text, part);
      assert.doesNotMatch(text, /louder|hush|bG91ZGVy|aHVzaA/);
      assert.deepEqual((await rig.live('v1', 'ConfigMap', 'one')).data, { a: '1' });
      assert.equal(await rig.get('v1', 'ConfigMap', 'new'), undefined);
      assert.equal((await rig.inventory()).holdings[0]?.revision, 1);
    },
  },
  {
    name: 'a preview says what would be refused',
    run: async (rig) => {
      const { kind, message } = await rig.preview([service('web', { portz: 1 })]);
      assert.equal(kind, 'wouldReject');
      assert.match(message, /portz/);
    },
  },
];

type Rig = Parameters<Scenario['run']>[0];

/** A policy of the API server itself: it refuses as a webhook does, without a server to run. */
async function refuseMapsNamed(rig: Rig, name: string, refused: string): Promise<void> {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': rig.namespace } };
  const validations = [{ expression: `object.metadata.name != '${refused}'`, message: 'not that one' }];
  const spec = { failurePolicy: 'Fail', matchConstraints: { resourceRules, namespaceSelector }, validations };
  await rig.byAnother({ apiVersion, kind: 'ValidatingAdmissionPolicy', metadata: { name }, spec });
  const bound = { policyName: name, validationActions: ['Deny'] };
  await rig.byAnother({ apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name }, spec: bound });
}

/** Text that does not compress. */
function noise(seed: number, length: number): string {
  let state = seed + 1;
  let text = '';
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647;
    text += state.toString(36);
  }
  return text.slice(0, length);
}
