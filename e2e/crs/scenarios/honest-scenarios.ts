import { CORE } from '#kit/kube';
import { CRS, PAUSED } from '../crs-objects.ts';
import type { Scenario } from '../scenario.ts';
import type { Question } from '../stage.ts';

/** Where upstream's report and behaviour disagree, or it does nothing; and cases its own suite leaves out. */
export const HONEST_SCENARIOS: readonly Scenario[] = [
  {
    name: 'one resource is missing',
    why: 'the set is not applied, and the condition names what is missing',
    play: async (stage) => {
      const there = await stage.configMap('there', stage.manifest('first'));
      const missing = { kind: 'ConfigMap', name: 'missing' } as const;
      await stage.cluster('one');
      await stage.set('web', { resources: [missing, there] });
      await stage.reaches('missing', {
        upstream: (seen) => seen.entry('one', 'web', there)?.applied === true && seen.isObserved('web'),
        ours: (seen) =>
          seen.entry('one', 'web', there)?.applied === true && /missing/.test(seen.condition('web')?.message ?? ''),
      });
      await stage.configMap('missing', stage.manifest('second'));
      await stage.reaches('there', (seen) => seen.isApplied('one', 'web') && seen.condition('web')?.status === 'True');
    },
  },
  {
    name: 'one resource cannot be parsed',
    why: 'its entry says that it was not applied, the condition names it, and its neighbour is applied',
    play: async (stage) => {
      const bad = await stage.configMap('bad', 'this: is: not: YAML, however long one may look at it\n');
      const good = await stage.configMap('good', stage.manifest('first'));
      await stage.cluster('one');
      await stage.set('web', { resources: [bad, good] });
      await stage.reaches('bad', {
        upstream: (seen) => seen.entry('one', 'web', good)?.applied === true,
        ours: (seen) =>
          seen.entry('one', 'web', good)?.applied === true && /bad/.test(seen.condition('web')?.message ?? ''),
      });
      await stage.rewrite(bad, stage.manifest('second'));
      await stage.reaches('good', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
    },
  },
  {
    name: 'spoilt after it was applied',
    why: 'a True from before does not stay when the contents can no longer be read',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first'));
      await stage.cluster('one');
      await stage.set('web', { resources: [settings], strategy: 'Reconcile' });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      await stage.rewrite(settings, 'this: is: not: YAML, however long one may look at it\n');
      await stage.reaches('spoilt', {
        upstream: (seen) => seen.entry('one', 'web', settings)?.applied === false,
        ours: (seen) =>
          seen.entry('one', 'web', settings)?.applied === false && seen.condition('web')?.status === 'False',
      });
    },
  },
  {
    name: 'ApplyOnce, spoilt after it was applied',
    why: 'what is applied once is still read, and a True does not stay when it cannot be',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first'));
      await stage.cluster('one');
      await stage.set('web', { resources: [settings] });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      await stage.rewrite(settings, 'this: is: not: YAML, however long one may look at it\n');
      await stage.reaches('spoilt', {
        upstream: (seen) => seen.entry('one', 'web', settings)?.applied === false,
        ours: (seen) => seen.condition('web')?.status === 'False',
      });
      await stage.rewrite(settings, stage.manifest('second'));
      await stage.reaches(
        'put right',
        (seen) => seen.isApplied('one', 'web') && seen.condition('web')?.status === 'True',
      );
    },
  },
  {
    name: 'a short value',
    why: 'less than 32 bytes are read like any other; here, a comment and nothing else',
    play: async (stage) => {
      const settings = await stage.configMap('settings', { a: '# nothing yet\n', b: stage.manifest('first') });
      await stage.cluster('one');
      await stage.set('web', { resources: [settings] });
      await stage.reaches('read', {
        upstream: (seen) => seen.entry('one', 'web', settings)?.applied === false,
        ours: (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'),
      });
    },
  },
  {
    name: 'a malformed JSON list',
    why: 'it is an error, not a list of nothing',
    play: async (stage) => {
      const settings = await stage.configMap('settings', '[{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {]');
      await stage.cluster('one');
      await stage.set('web', { resources: [settings] });
      await stage.reaches('refused', {
        upstream: (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'),
        ours: (seen) =>
          seen.entry('one', 'web', settings)?.applied === false && seen.condition('web')?.status === 'False',
      });
    },
  },
  {
    name: 'a Secret of the wrong type',
    why: 'it holds up none of its neighbours, whether they come before or after it',
    play: async (stage) => {
      const before = await stage.configMap('before', stage.manifest('first'));
      const wrong = await stage.secret('wrong', stage.manifest('second'), 'Opaque');
      const after = await stage.configMap('after', stage.manifest('third'));
      await stage.cluster('one');
      await stage.set('web', { resources: [before, wrong, after] });
      await stage.reaches('wrong', {
        upstream: (seen) => seen.condition('web')?.reason === 'WrongSecretType',
        ours: (seen) =>
          seen.condition('web')?.reason === 'WrongSecretType' && seen.entry('one', 'web', after)?.applied === true,
      });
    },
  },
  {
    name: 'a deleted ConfigMap',
    why: 'it is noticed at once, and the condition names it; one that is made anew has its owner again',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first'));
      const secrets = await stage.secret('secrets', stage.manifest('second'));
      await stage.cluster('one');
      await stage.set('web', { resources: [settings, secrets] });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      await stage.remove(CORE.configMaps, 'settings');
      await stage.reaches('ConfigMap deleted', {
        upstream: (seen) => seen.objects.configMaps.length === 0,
        ours: (seen) => /settings/.test(seen.condition('web')?.message ?? ''),
      });
      await stage.remove(CORE.secrets, 'secrets');
      await stage.reaches('Secret deleted', {
        upstream: (seen) => seen.objects.secrets.length === 0,
        ours: (seen) => /secrets/.test(seen.condition('web')?.message ?? ''),
      });
      await stage.configMap('settings', stage.manifest('third'));
      await stage.secret('secrets', stage.manifest('fourth'));
      await stage.reaches('made anew', (seen) => {
        const areOwned = [settings, secrets].every((it) => seen.owners(it).join() === 'web');
        return areOwned && seen.condition('web')?.status === 'True';
      });
    },
  },
  {
    name: 'one cluster fails and another does not',
    why: 'the condition is that of the worst, and names it',
    play: async (stage) => {
      const only = `${stage.workloadNamespace}-b`;
      await stage.createNamespace('b', only);
      const settings = await stage.configMap('settings', stage.manifest('first', {}, only));
      await stage.cluster('east', { workload: 'a' });
      await stage.cluster('west', { workload: 'b' });
      await stage.set('web', { resources: [settings] });
      const isMixed: Question = (seen) =>
        seen.entry('east', 'web', settings)?.applied === false && seen.isApplied('west', 'web');
      await stage.reaches(
        'mixed',
        {
          upstream: (seen) => isMixed(seen) && seen.condition('web') !== undefined,
          ours: (seen) => isMixed(seen) && /east/.test(seen.condition('web')?.message ?? ''),
        },
        { upstreamIsRestless: true },
      );
      await stage.createNamespace('a', only);
      await stage.reaches('both', (seen) => seen.isApplied('east', 'web') && seen.condition('web')?.status === 'True');
    },
  },
  {
    name: 'the cluster that failed leaves',
    why: 'what went wrong in a cluster is not said of a set that is no longer for it',
    play: async (stage) => {
      const settings = await stage.configMap(
        'settings',
        stage.manifest('first', {}, `${stage.workloadNamespace}-missing`),
      );
      await stage.cluster('one');
      await stage.set('web', { resources: [settings] });
      await stage.reaches('failed', (seen) => seen.condition('web')?.status === 'False');
      await stage.change(CRS.clusters, 'one', { metadata: { labels: { fleet: 'no' } } });
      await stage.reaches('left', {
        upstream: (seen) => seen.condition('web')?.status === 'False',
        ours: (seen) => seen.condition('web') === undefined,
      });
    },
  },
  {
    name: 'deleted with clusters out of sight',
    why: 'every binding that has an entry is visited: also of a cluster that no longer matches, and past one that is missing',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first'));
      const names = ['relabelled', 'without-binding', 'plain-1', 'plain-2', 'plain-3'];
      for (const name of names) await stage.cluster(name);
      await stage.set('web', { resources: [settings] });
      const other = { matchLabels: { keep: 'yes' } };
      await stage.set('other', { resources: [settings], selector: other });
      await stage.reaches('applied', (seen) => names.every((name) => seen.isApplied(name, 'web')));
      await stage.change(CRS.clusters, 'relabelled', { metadata: { labels: { fleet: 'no' } } });
      // Paused, so that the manager does not recreate the binding before the set is deleted.
      await stage.change(CRS.sets, 'web', { metadata: { annotations: { [PAUSED]: 'yes' } } });
      await stage.reaches('paused', (seen) => seen.condition('web', 'Paused')?.status === 'True');
      await stage.remove(CRS.bindings, 'without-binding');
      await stage.remove(CRS.sets, 'web');
      await stage.reaches('deleting', (seen) => seen.set('web')?.metadata.deletionTimestamp !== undefined);
      await stage.change(CRS.sets, 'web', { metadata: { annotations: { [PAUSED]: null } } });
      await stage.reaches('deleted', {
        upstream: (seen) => seen.set('web') === undefined,
        ours: (seen) => seen.set('web') === undefined && seen.objects.bindings.length === 0,
      });
    },
  },
  {
    name: 'a neighbour that selects nothing',
    why: 'a set with an empty selector does not keep others from hearing of a cluster',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first'));
      await stage.set('idle', { resources: [settings], selector: {} });
      await stage.set('web', { resources: [settings] });
      await stage.cluster('one', { labels: { fleet: 'no' } });
      await stage.reaches('no cluster', (seen) =>
        ['web', 'idle'].every((name) => seen.condition(name, 'Paused')?.status === 'False'),
      );
      await stage.change(CRS.clusters, 'one', { metadata: { labels: { fleet: 'yes' } } });
      await stage.reaches('relabelled', {
        upstream: (seen) => seen.binding('one') === undefined,
        ours: (seen) => seen.isApplied('one', 'web'),
      });
    },
  },
  {
    name: 'a paused set is deleted',
    why: 'it keeps its finalizer until it is paused no more',
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first'));
      await stage.cluster('one');
      await stage.set('web', { resources: [settings] });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      await stage.change(CRS.sets, 'web', { metadata: { annotations: { [PAUSED]: '' } } });
      await stage.reaches('paused', (seen) => seen.condition('web', 'Paused')?.status === 'True');
      await stage.remove(CRS.sets, 'web');
      await stage.reaches('deleting', (seen) => seen.set('web')?.metadata.deletionTimestamp !== undefined);
      await stage.change(CRS.sets, 'web', { metadata: { annotations: { [PAUSED]: null } } });
      await stage.reaches('deleted', (seen) => seen.set('web') === undefined && seen.binding('one') === undefined);
    },
  },
];
