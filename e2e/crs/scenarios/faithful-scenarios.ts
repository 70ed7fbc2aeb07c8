import { CORE } from '#kit/kube';
import { CRS, PAUSED } from '../crs-objects.ts';
import type { Scenario } from '../scenario.ts';

/** Where ours behaves as upstream does, beyond the cases of upstream's own suite. */
export const FAITHFUL_SCENARIOS: readonly Scenario[] = [
  {
    name: 'contents of every form',
    why: 'a JSON list, several documents, booleans of YAML 1.1, an order in which nothing fails',
    play: async (stage) => {
      const { workloadNamespace: namespace } = stage;
      const made = `${namespace}-made`;
      const listed = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'listed', namespace }, data: { a: '1' } };
      const settings = await stage.configMap('settings', {
        'a-list': JSON.stringify([listed, { ...listed, metadata: { name: 'listed-too', namespace } }]),
        'b-documents': `---\n${stage.manifest('one')}---\n---\n${stage.manifest('two')}`,
        'c-out-of-order': [
          stage.manifest('in-made', {}, made),
          `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ${made}\n`,
        ].join('---\n'),
        'd-booleans': `apiVersion: v1\nkind: Secret\nmetadata: {name: booleans, namespace: ${namespace}}\nimmutable: yes\n`,
      });
      await stage.cluster('one');
      await stage.set('web', { resources: [settings] });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
    },
  },
  {
    name: 'expressions in a selector',
    why: 'sets select by what labels say and by what they do not',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first'));
      await stage.cluster('in', { labels: { fleet: 'yes', tier: 'gold' } });
      await stage.cluster('out', { labels: { fleet: 'yes', tier: 'gold', old: '' } });
      await stage.cluster('other', { labels: { fleet: 'yes' } });
      const matchExpressions = [
        { key: 'tier', operator: 'In', values: ['gold', 'silver'] },
        { key: 'old', operator: 'DoesNotExist' },
      ];
      await stage.set('web', { resources: [settings], selector: { matchLabels: { fleet: 'yes' }, matchExpressions } });
      await stage.reaches('applied', (seen) => seen.isApplied('in', 'web') && seen.isObserved('web'));
    },
  },
  {
    name: 'ApplyOnce, contents changed',
    why: 'once is once: neither the object nor the hash follows',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first', { turn: 'one' }));
      await stage.cluster('one');
      await stage.set('web', { resources: [settings] });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      await stage.rewrite(settings, stage.manifest('first', { turn: 'two' }));
      await stage.reaches('rewritten', (seen) => seen.isApplied('one', 'web'));
    },
  },
  {
    name: 'fields of others',
    why: 'what the manifest does not have is taken from the object by the next change',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first', { turn: 'one' }));
      await stage.cluster('one');
      await stage.set('web', { resources: [settings], strategy: 'Reconcile' });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      const ref = { resource: CORE.configMaps, namespace: stage.workloadNamespace, name: 'first' };
      const patch = { metadata: { labels: { by: 'others' }, annotations: { by: 'others' } }, data: { by: 'others' } };
      await stage.workload('a').client.patch(ref, { type: 'merge', patch }, {}, stage.signal);
      await stage.reaches('touched by others', (seen) => seen.isApplied('one', 'web'));
      const before = stage.seen().entry('one', 'web', settings)?.hash;
      await stage.rewrite(settings, stage.manifest('first', { turn: 'two' }));
      await stage.reaches('rewritten', (seen) => seen.entry('one', 'web', settings)?.hash !== before);
    },
  },
  {
    name: 'contents changed time and again',
    why: 'objects that nobody else touches are what the manifest says, each time: keys and labels go, a null is nothing',
    play: async (stage) => {
      const { workloadNamespace: namespace } = stage;
      const documents = (turn: string, extra: object): string => {
        const metadata = { name: 'first', namespace, labels: { [turn]: 'yes' } };
        const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { turn, [turn]: 'only now', none: null } };
        const place = { name: 'second', namespace, creationTimestamp: null };
        const secret = { apiVersion: 'v1', kind: 'Secret', metadata: place, stringData: { [turn]: 'x' }, ...extra };
        return JSON.stringify([map, secret]);
      };
      const settings = await stage.configMap('settings', documents('one', {}));
      await stage.cluster('one');
      await stage.set('web', { resources: [settings], strategy: 'Reconcile' });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      for (const [turn, extra] of Object.entries({ two: {}, three: { data: { a: 'eA==' } }, four: { data: null } })) {
        const before = stage.seen().entry('one', 'web', settings)?.hash;
        await stage.rewrite(settings, documents(turn, extra));
        await stage.reaches(turn, (seen) => seen.entry('one', 'web', settings)?.hash !== before);
      }
    },
  },
  {
    name: 'an object deleted by hand',
    why: 'nobody looks, until the contents change',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first', { turn: 'one' }));
      await stage.cluster('one');
      await stage.set('web', { resources: [settings], strategy: 'Reconcile' });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      const ref = { resource: CORE.configMaps, namespace: stage.workloadNamespace, name: 'first' };
      await stage.workload('a').client.delete(ref, {}, stage.signal);
      await stage.reaches('deleted by hand', (seen) => seen.isApplied('one', 'web'));
      const before = stage.seen().entry('one', 'web', settings)?.hash;
      await stage.rewrite(settings, stage.manifest('first', { turn: 'two' }));
      await stage.reaches('rewritten', (seen) => seen.entry('one', 'web', settings)?.hash !== before);
    },
  },
  {
    name: 'a ConfigMap of two sets',
    why: 'both own it, and both hear of its changes',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first', { turn: 'one' }));
      await stage.cluster('one');
      const sets = ['web', 'database'];
      for (const name of sets) await stage.set(name, { resources: [settings], strategy: 'Reconcile' });
      await stage.reaches('applied', (seen) =>
        sets.every((name) => seen.isApplied('one', name) && seen.isObserved(name)),
      );
      const before = stage.seen().entry('one', 'web', settings)?.hash;
      await stage.rewrite(settings, stage.manifest('first', { turn: 'two' }));
      await stage.reaches('rewritten', (seen) =>
        sets.every((name) => seen.isApplied('one', name) && seen.entry('one', name, settings)?.hash !== before),
      );
    },
  },
  {
    name: 'paused from the start',
    why: 'nothing is done but to say so',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first'));
      await stage.cluster('one');
      await stage.set('web', { resources: [settings], annotations: { [PAUSED]: 'true' } });
      await stage.reaches('paused', (seen) => seen.condition('web', 'Paused')?.status === 'True');
      await stage.change(CRS.sets, 'web', { metadata: { annotations: { [PAUSED]: null } } });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
    },
  },
  {
    name: 'a paused cluster',
    why: 'what pauses a Cluster does not pause the sets',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first'));
      await stage.cluster('one');
      await stage.set('web', { resources: [settings], strategy: 'Reconcile' });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      await stage.change(CRS.clusters, 'one', { spec: { paused: true } });
      const before = stage.seen().entry('one', 'web', settings)?.hash;
      await stage.rewrite(settings, stage.manifest('first', { turn: 'two' }));
      await stage.reaches('rewritten', (seen) => seen.entry('one', 'web', settings)?.hash !== before);
    },
  },
  {
    name: 'relabelled away',
    why: 'what was applied stays, and so does the entry',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first', { turn: 'one' }));
      await stage.cluster('one');
      await stage.set('web', { resources: [settings], strategy: 'Reconcile' });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      await stage.change(CRS.clusters, 'one', { metadata: { labels: { fleet: 'no' } } });
      await stage.reaches('relabelled', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      await stage.rewrite(settings, stage.manifest('first', { turn: 'two' }));
      await stage.reaches('rewritten', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
    },
  },
  {
    name: 'a resource leaves the set',
    why: 'its entry and its owner stay',
    play: async (stage) => {
      const first = await stage.configMap('first', stage.manifest('first'));
      const second = await stage.configMap('second', stage.manifest('second'));
      await stage.cluster('one');
      await stage.set('web', { resources: [first, second], strategy: 'Reconcile' });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      await stage.change(CRS.sets, 'web', { spec: { resources: [second] } });
      await stage.reaches('left', (seen) => seen.set('web')?.spec.resources.length === 1 && seen.isObserved('web'));
    },
  },
  {
    name: 'a set made anew',
    why: 'owner references follow to the new one of the same name',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first'));
      await stage.cluster('one');
      await stage.set('web', { resources: [settings] });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      await stage.remove(CRS.sets, 'web');
      await stage.reaches('deleted', (seen) => seen.set('web') === undefined);
      await stage.set('web', { resources: [settings] });
      await stage.reaches('applied anew', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
    },
  },
  {
    name: 'an owner of old',
    why: 'a reference of an older version, to a set of the same name, is put right; those of others stay',
    play: async (stage) => {
      const owner = { kind: 'ClusterResourceSet', name: 'web', uid: '00000000-0000-0000-0000-000000000001' };
      const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '00000000-0000-0000-0000-000000000002' };
      const ownerReferences = [{ ...owner, apiVersion: 'addons.cluster.x-k8s.io/v1beta1' }, other];
      await stage.create(CORE.configMaps, {
        metadata: { name: 'settings', ownerReferences },
        data: { value: stage.manifest('first') },
      });
      await stage.cluster('one');
      await stage.set('web', { resources: [{ kind: 'ConfigMap', name: 'settings' }] });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
    },
  },
  {
    name: 'a kind that is not there',
    why: 'a definition and what it defines in one value: the second succeeds as soon as the first is served',
    play: async (stage) => {
      const { workloadNamespace: namespace } = stage;
      const group = `${namespace}.example.io`;
      const settings = await stage.configMap(
        'settings',
        JSON.stringify([definition(group), instance(group, namespace)]),
      );
      await stage.cluster('one');
      await stage.set('web', { resources: [settings] });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
    },
  },
];

function definition(group: string): object {
  const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gadgets.${group}` },
    spec: { group, names, scope: 'Namespaced', versions: [{ name: 'v1', served: true, storage: true, schema }] },
  };
}

function instance(group: string, namespace: string): object {
  return { apiVersion: `${group}/v1`, kind: 'Gadget', metadata: { name: 'first', namespace } };
}
