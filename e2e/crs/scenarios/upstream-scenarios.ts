import { CORE } from '#kit/kube';
import { CRS } from '../crs-objects.ts';
import type { Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

/** The cases of Cluster API's own integration suite, retold. */
export const UPSTREAM_SCENARIOS: readonly Scenario[] = [
  {
    name: 'several resources',
    why: 'a set with a ConfigMap and a Secret, and a cluster that matches',
    play: async (stage) => {
      const resources = await configMapAndSecret(stage);
      await stage.cluster('one');
      await stage.set('web', { resources });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      await stage.remove(CRS.clusters, 'one');
      await stage.reaches('cluster deleted', (seen) => seen.binding('one') === undefined);
    },
  },
  {
    name: 'labels changed to match',
    why: 'a cluster that is relabelled gets what the set has, and its binding goes with it',
    play: async (stage) => {
      const configMap = await stage.configMap('settings', stage.manifest('first'));
      await stage.cluster('one', { labels: { fleet: 'no' } });
      await stage.set('web', { resources: [configMap] });
      await stage.reaches('nothing matches', (seen) => seen.condition('web', 'Paused')?.status === 'False');
      await stage.change(CRS.clusters, 'one', { metadata: { labels: { fleet: 'yes' } } });
      await stage.reaches('relabelled', (seen) => seen.isApplied('one', 'web'));
      await stage.remove(CRS.clusters, 'one');
      await stage.reaches('cluster deleted', (seen) => seen.binding('one') === undefined);
    },
  },
  createdLater('ConfigMap'),
  createdLater('Secret'),
  {
    name: 'set deleted',
    why: 'a set that is deleted leaves the binding, and the last one takes it along',
    play: async (stage) => {
      const [configMap, secret] = await configMapAndSecret(stage);
      await stage.cluster('one');
      await stage.set('web', { resources: [configMap] });
      await stage.set('database', { resources: [configMap, secret] });
      await stage.reaches('both applied', (seen) => seen.isApplied('one', 'web') && seen.isApplied('one', 'database'));
      await stage.remove(CRS.sets, 'web');
      await stage.reaches('one left', (seen) => seen.set('web') === undefined);
      await stage.remove(CRS.sets, 'database');
      await stage.reaches('none left', (seen) => seen.set('database') === undefined);
    },
  },
  {
    name: 'finalizer',
    why: 'a set has its finalizer before anything is done for it',
    play: async (stage) => {
      const configMap = await stage.configMap('settings', stage.manifest('first'));
      await stage.set('web', { resources: [configMap] });
      await stage.reaches('seen', (seen) => (seen.set('web')?.metadata.finalizers ?? []).length > 0);
    },
  },
  {
    name: 'Reconcile, contents changed',
    why: 'hashes change and objects follow',
    play: async (stage) => {
      const [configMap, secret] = await configMapAndSecret(stage);
      await stage.cluster('one');
      await stage.set('web', { resources: [configMap, secret], strategy: 'Reconcile' });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      const before = new Set(
        stage
          .seen()
          .entries('one', 'web')
          ?.map(({ hash }) => hash),
      );
      await stage.rewrite(configMap, stage.manifest('first', { my_new_config: 'some value' }));
      await stage.rewrite(secret, stage.manifest('second', { my_new_secret: 'another' }));
      await stage.reaches('changed', (seen) => {
        const entries = seen.entries('one', 'web') ?? [];
        return entries.length === 2 && entries.every(({ applied, hash }) => applied && !before.has(hash));
      });
    },
  },
  {
    name: 'ApplyOnce, one is there already',
    why: 'what is there stays as it is, and the rest is made',
    play: async (stage) => {
      const theirs = { metadata: { name: 'first' }, data: { kept: 'as it was' } };
      const collection = { resource: CORE.configMaps, namespace: stage.workloadNamespace };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', ...theirs };
      await stage.workload('a').client.create(collection, object, {}, stage.signal);
      const resources = await configMapAndSecret(stage);
      await stage.cluster('one');
      await stage.set('web', { resources });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
    },
  },
  {
    name: 'ApplyOnce, an error and its correction',
    why: 'a namespace is missing: the condition says so, and all is well once it is there',
    play: async (stage) => {
      const missing = `${stage.workloadNamespace}-missing`;
      const bad = await stage.configMap('settings', stage.manifest('first', {}, missing));
      const good = await stage.secret('secrets', stage.manifest('second'));
      await stage.cluster('one');
      await stage.set('web', { resources: [bad, good] });
      await stage.reaches('one failed', (seen) => {
        const isFalse = seen.condition('web')?.status === 'False';
        return (
          isFalse &&
          seen.entry('one', 'web', bad)?.applied === false &&
          seen.entry('one', 'web', good)?.applied === true
        );
      });
      await stage.createNamespace('a', missing);
      await stage.reaches('corrected', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
    },
  },
  {
    name: 'ten sets at once',
    why: 'all of them come to be in the one binding of the cluster',
    play: async (stage) => {
      const resources = await configMapAndSecret(stage);
      await stage.cluster('one');
      const names = Array.from({ length: 10 }, (_, index) => `set-${index}`);
      await Promise.all(names.map((name) => stage.set(name, { resources })));
      await stage.reaches('all applied', (seen) =>
        names.every((name) => seen.isApplied('one', name) && seen.isObserved(name)),
      );
    },
  },
];

/** The resource is absent at first, then empty, then has something to apply. */
function createdLater(kind: 'ConfigMap' | 'Secret'): Scenario {
  return {
    name: `${kind} created later`,
    why: 'the binding is there with an entry and nothing in it, until the resource comes',
    play: async (stage) => {
      const resource = { kind, name: 'late' };
      await stage.cluster('one');
      await stage.set('web', { resources: [resource] });
      await stage.reaches('missing', {
        upstream: (seen) => seen.entries('one', 'web')?.length === 0 && seen.isObserved('web'),
        ours: (seen) => seen.entries('one', 'web')?.length === 0 && seen.condition('web')?.status === 'False',
      });
      if (kind === 'ConfigMap') await stage.configMap('late', {});
      else await stage.secret('late', {});
      await stage.reaches('empty', (seen) => {
        const isOwned = seen.owners(resource).join() === 'web';
        return isOwned && seen.entry('one', 'web', resource)?.applied === false;
      });
      await stage.rewrite(resource, stage.manifest('first'));
      await stage.reaches('filled', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      await stage.remove(CRS.clusters, 'one');
      await stage.reaches('cluster deleted', (seen) => seen.binding('one') === undefined);
    },
  };
}

/** As in upstream's fixtures: the Secret has `metadata` twice, and the last one counts. */
async function configMapAndSecret(stage: Stage) {
  const { workloadNamespace: namespace } = stage;
  const second = `metadata:\nkind: ConfigMap\napiVersion: v1\nmetadata:\n name: second\n namespace: ${namespace}`;
  const first = `metadata:\n name: first\n namespace: ${namespace}\nkind: ConfigMap\napiVersion: v1`;
  return [await stage.configMap('settings', first), await stage.secret('secrets', second)] as const;
}
