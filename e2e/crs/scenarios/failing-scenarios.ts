import { CORE } from '#kit/kube';
import type { Scenario } from '../scenario.ts';

/** Failures that either manager meets, and how each reports them. */
export const FAILING_SCENARIOS: readonly Scenario[] = [
  {
    name: 'a selector that makes no sense',
    why: 'the condition says so',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first'));
      await stage.cluster('one');
      const selector = { matchExpressions: [{ key: 'fleet', operator: 'In' }] };
      await stage.set('web', { resources: [settings], selector });
      await stage.reaches('refused', (seen) => seen.condition('web')?.status === 'False');
    },
  },
  {
    name: 'no strategy',
    why: 'without the webhook that fills it in',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first'));
      await stage.cluster('one');
      await stage.set('web', { resources: [settings], strategy: 'none' });
      await stage.reaches('refused', (seen) => seen.entry('one', 'web', settings)?.applied === false);
    },
  },
  {
    name: 'a kind that nobody knows',
    why: 'the error names it',
    play: async (stage) => {
      const nobody = { apiVersion: 'nobody.example.io/v1', kind: 'Nobody', metadata: { name: 'x' } };
      const settings = await stage.configMap('settings', JSON.stringify(nobody));
      await stage.cluster('one');
      await stage.set('web', { resources: [settings] });
      await stage.reaches('refused', (seen) => seen.condition('web')?.status === 'False');
    },
  },
  {
    name: 'Reconcile, an error and its correction',
    why: 'objects beside the one that fails are made',
    play: async (stage) => {
      const missing = `${stage.workloadNamespace}-missing`;
      const documents = [stage.manifest('first', {}, missing), stage.manifest('second')].join('---\n');
      const settings = await stage.configMap('settings', documents);
      await stage.cluster('one');
      await stage.set('web', { resources: [settings], strategy: 'Reconcile' });
      await stage.reaches('one failed', (seen) => seen.condition('web')?.status === 'False');
      await stage.createNamespace('a', missing);
      await stage.reaches('corrected', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
    },
  },
  {
    name: 'ApplyOnce, one namespace is missing',
    why: 'the other objects of the resource are made, and all is complete later',
    play: async (stage) => {
      const missing = `${stage.workloadNamespace}-missing`;
      const texts = [stage.manifest('first'), stage.manifest('second', {}, missing), stage.manifest('third')];
      const settings = await stage.configMap('settings', texts.join('---\n'));
      await stage.cluster('one');
      await stage.set('web', { resources: [settings] });
      await stage.reaches('one failed', (seen) => seen.condition('web')?.status === 'False');
      await stage.createNamespace('a', missing);
      await stage.reaches('corrected', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
    },
  },
  {
    name: 'a neighbour that fails',
    why: 'another set of the same cluster, and in the same binding, is none the worse for it',
    play: async (stage) => {
      const missing = `${stage.workloadNamespace}-missing`;
      const bad = await stage.configMap('settings', stage.manifest('first', {}, missing));
      const good = await stage.configMap('good', stage.manifest('second', { turn: 'one' }));
      await stage.cluster('one');
      await stage.set('web', { resources: [bad] });
      await stage.set('neighbour', { resources: [good], strategy: 'Reconcile' });
      await stage.reaches('one failed', (seen) => {
        const isFalse = seen.condition('web')?.status === 'False';
        return isFalse && seen.isApplied('one', 'neighbour') && seen.isObserved('neighbour');
      });
      const before = stage.seen().entry('one', 'neighbour', good)?.hash;
      await stage.rewrite(good, stage.manifest('second', { turn: 'two' }));
      await stage.reaches('neighbour changed', (seen) => seen.entry('one', 'neighbour', good)?.hash !== before);
    },
  },
  {
    name: 'an object the server refuses',
    why: 'the error is the one that the server gave',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('Not A Name'));
      await stage.cluster('one');
      await stage.set('web', { resources: [settings] });
      await stage.reaches('refused', (seen) => seen.condition('web')?.status === 'False');
    },
  },
  {
    name: 'a change that the server refuses',
    why: 'the object stays as it was, and the error is the one that the server gave to a patch',
    play: async (stage) => {
      const fixed = (turn: string): string => `${stage.manifest('first', { turn })}immutable: true\n`;
      const settings = await stage.configMap('settings', fixed('one'));
      await stage.cluster('one');
      await stage.set('web', { resources: [settings], strategy: 'Reconcile' });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      await stage.rewrite(settings, fixed('two'));
      await stage.reaches('refused', (seen) => seen.condition('web')?.status === 'False');
    },
  },
  {
    name: 'a cluster that cannot be reached',
    why: 'the binding has an entry with nothing in it, and the condition says that something is wrong',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first'));
      await stage.cluster('one', { kubeconfig: null });
      await stage.set('web', { resources: [settings] });
      await stage.reaches('unreachable', (seen) => seen.condition('web')?.status === 'False');
    },
  },
  {
    name: 'binary data only',
    why: 'it is not looked at, so that there is nothing to apply',
    play: async (stage) => {
      const binaryData = { value: Buffer.from(stage.manifest('first')).toString('base64') };
      await stage.create(CORE.configMaps, { metadata: { name: 'settings' }, binaryData });
      await stage.cluster('one');
      const settings = { kind: 'ConfigMap', name: 'settings' } as const;
      await stage.set('web', { resources: [settings] });
      await stage.reaches('refused', (seen) => seen.entry('one', 'web', settings)?.applied === false);
    },
  },
];
