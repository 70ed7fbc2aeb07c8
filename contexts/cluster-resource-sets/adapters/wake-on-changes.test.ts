import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject, ObjectMeta } from '#kit/kube';
import type { ChangeHandler, Informer, InformerFactory } from '#kit/kube/cache';
import { ControllerBuilder, type ReconcileKey } from '#kit/kube/controller';
import { DONE } from '#kit/reconcile';
import type { LabelSelector } from '#kit/std';
import { FakeClock } from '#testing/fake-clock';
import { FINALIZER } from '../domain/resource-set.ts';
import { type Caches, type Followed, resourceIndexKey } from './caches.ts';
import { FreshCache } from './fresh-cache.ts';
import type { BindingObject, ClusterObject, SetObject } from './kinds.ts';
import type { KeptResource } from './trims.ts';
import { watchForClusters, watchForSets } from './wake-on-changes.ts';

/** An in-memory collection that reports changes at once. */
class Collection<T extends KubeObject> implements Followed<T> {
  readonly objects = new Map<string, T>();
  readonly options = {};
  readonly fresh: FreshCache<T>;
  readonly informer: Informer<T>;
  readonly #handlers = new Set<ChangeHandler<T>>();

  constructor() {
    const cache = {
      size: 0,
      get: ({ name }: { readonly name: string }) => this.objects.get(name),
      list: () => [...this.objects.values()],
      index: () => assert.fail('nobody asks for it here'),
    };
    this.fresh = new FreshCache<T>(cache);
    const onChange = (handler: ChangeHandler<T>) => {
      this.#handlers.add(handler);
      return () => this.#handlers.delete(handler);
    };
    this.informer = { cache, hasSynced: true, synced: () => Promise.resolve(), onChange };
  }

  put(object: T): void {
    const name = object.metadata.name ?? '';
    const old = this.objects.get(name);
    this.objects.set(name, object);
    for (const handler of this.#handlers) handler({ old, now: object, initial: false });
  }

  remove(name: string): void {
    const old = this.objects.get(name);
    this.objects.delete(name);
    for (const handler of this.#handlers) handler({ old, now: undefined, initial: false });
  }
}

interface Fields extends ObjectMeta {
  readonly selector?: LabelSelector;
}

/** The controllers run on a clock that stands still: what is woken with a delay counts once it is over. */
class Stage {
  readonly sets = new Collection<SetObject>();
  readonly clusters = new Collection<ClusterObject>();
  readonly bindings = new Collection<BindingObject>();
  readonly configMaps = new Collection<KeptResource>();
  readonly #secrets = new Collection<KeptResource>();
  readonly #clock = new FakeClock();
  readonly #stop = new AbortController();
  readonly #running: readonly Promise<void>[];
  readonly #woken = new Set<string>();
  #version = 0;

  static async open(): Promise<Stage> {
    const stage = new Stage();
    await stage.woken();
    return stage;
  }

  private constructor() {
    const caches = this.#caches();
    const controller = (name: string): ControllerBuilder => {
      const clock = this.#clock;
      return new ControllerBuilder({ name, informers: caches.informers, clock, sleep: clock.sleep });
    };
    const wokenAs =
      (kind: string): ReconcileKey =>
      ({ name }) => {
        this.#woken.add(`${kind} ${name}`);
        return Promise.resolve(DONE);
      };
    const controllers = [
      watchForSets(controller('sets'), caches).reconcile(wokenAs('set')),
      watchForClusters(controller('clusters'), caches).reconcile(wokenAs('cluster')),
    ];
    this.#running = controllers.map((each) => each.run(this.#stop.signal));
    this.cluster('a');
    this.cluster('b', { labels: { other: 'yes' } });
    this.set('web');
    this.set('unread', { selector: { matchExpressions: [{ key: 'cni', operator: 'In' }] } });
    this.set('empty', { selector: {} });
    this.configMap('cm', 'h1');
  }

  #caches(): Caches {
    const namers = (key: string) =>
      this.sets.informer.cache
        .list()
        .filter(({ spec }) => spec?.resources?.some((ref) => resourceIndexKey('fleet', ref) === key));
    const setsByResource = { get: namers, values: () => [] };
    const synced = () => Promise.resolve();
    const { sets, clusters, bindings, configMaps } = this;
    const secrets = this.#secrets;
    const all: Readonly<Record<string, { readonly informer: unknown }>> = {
      clusterresourcesets: sets,
      clusters,
      clusterresourcesetbindings: bindings,
      configmaps: configMaps,
      secrets,
    };
    const informer = ({ resource }: { readonly resource: { readonly plural: string } }) =>
      all[resource.plural]?.informer ?? assert.fail(resource.plural);
    // Each collection holds the objects of its resource.
    const informers = { informer: informer as unknown as InformerFactory['informer'] };
    return { informers, sets, clusters, bindings, configMaps, secrets, setsByResource, synced };
  }

  /** The keys reconciled since the last call. */
  async woken(): Promise<readonly string[]> {
    await this.#clock.advance(20);
    const woken = [...this.#woken].sort((a, b) => (a < b ? -1 : 1));
    this.#woken.clear();
    return woken;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  set(name: string, { selector = { matchLabels: { cni: 'yes' } }, ...fields }: Fields = {}): void {
    const metadata = { ...this.#metadata(name), generation: 1, finalizers: [FINALIZER], ...fields };
    const spec = { clusterSelector: selector, resources: [{ kind: 'ConfigMap', name: 'cm' }] };
    this.sets.put({ apiVersion: '', kind: 'ClusterResourceSet', metadata, spec });
  }

  cluster(name: string, fields: ObjectMeta = {}, status: object = {}): void {
    const metadata = { ...this.#metadata(name), labels: { cni: 'yes' }, ...fields };
    this.clusters.put({ apiVersion: '', kind: 'Cluster', metadata, spec: {}, status });
  }

  configMap(name: string, hash: string, fields: ObjectMeta = {}): void {
    const metadata = { ...this.#metadata(name), ...fields };
    this.configMaps.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, hash });
  }

  binding(name: string, sets: readonly string[]): BindingObject {
    const bindings = sets.map((clusterResourceSetName) => ({ clusterResourceSetName }));
    return { apiVersion: '', kind: '', metadata: this.#metadata(name), spec: { clusterName: name, bindings } };
  }

  #metadata(name: string) {
    this.#version += 1;
    return { name, namespace: 'fleet', uid: `uid-of-${name}`, resourceVersion: String(this.#version) };
  }
}

describe('who is woken', () => {
  const cases: readonly { why: string; act: (stage: Stage) => void | Promise<void>; want: readonly string[] }[] = [
    { why: 'a set that says something of itself: it alone', act: (it) => it.set('web'), want: ['set web'] },
    {
      why: 'a new generation: its clusters too',
      act: (it) => it.set('web', { generation: 2 }),
      want: ['cluster a', 'set web'],
    },
    {
      why: 'a set that is paused or not',
      act: (it) => it.set('web', { annotations: { a: 'b' } }),
      want: ['cluster a', 'set web'],
    },
    {
      why: 'a finalizer that is there now',
      act: (it) => it.set('web', { finalizers: [] }),
      want: ['cluster a', 'set web'],
    },
    {
      why: 'a selector that is another: clusters of before and of now',
      act: (it) => it.set('web', { generation: 2, selector: { matchLabels: { other: 'yes' } } }),
      want: ['cluster a', 'cluster b', 'set web'],
    },
    {
      why: 'a set that goes: who holds it, for them or not',
      act: (it) => {
        it.bindings.objects.set('b', it.binding('b', ['web']));
        it.set('web', { deletionTimestamp: 'now' });
      },
      want: ['cluster a', 'cluster b', 'set web'],
    },
    { why: 'a cluster that says how it is made: nobody', act: (it) => it.cluster('a'), want: [] },
    {
      why: 'a cluster that is provisioned: one set that cannot be read hides no other',
      act: (it) => it.cluster('a', {}, { initialization: { infrastructureProvisioned: true } }),
      want: ['cluster a', 'set web'],
    },
    {
      why: 'labels that do not match any more',
      act: (it) => it.cluster('a', { labels: {} }),
      want: ['cluster a', 'set web'],
    },
    { why: 'a cluster that is gone', act: (it) => it.clusters.remove('a'), want: ['cluster a', 'set web'] },
    {
      why: 'content that changed',
      act: (it) => it.configMap('cm', 'h2'),
      want: ['cluster a', 'set empty', 'set unread', 'set web'],
    },
    {
      why: 'owners that changed: sets, and no cluster',
      act: (it) => it.configMap('cm', 'h1', { ownerReferences: [] }),
      want: ['set empty', 'set unread', 'set web'],
    },
    {
      why: 'a ConfigMap that is deleted: at once',
      act: (it) => it.configMaps.remove('cm'),
      want: ['cluster a', 'set empty', 'set unread', 'set web'],
    },
    { why: "somebody's ConfigMap: nobody", act: (it) => it.configMap('theirs', 'h1'), want: [] },
    {
      why: 'a binding that somebody wrote',
      act: (it) => it.bindings.put(it.binding('a', ['web'])),
      want: ['cluster a'],
    },
    {
      why: 'a binding that we wrote: nobody',
      act: (it) => {
        const binding = it.binding('a', ['web']);
        it.bindings.fresh.wrote(binding);
        it.bindings.put(binding);
      },
      want: [],
    },
    {
      why: 'a binding without a set that waits for that',
      act: async (it) => {
        it.bindings.objects.set('a', it.binding('a', ['web', 'empty']));
        it.set('web', { deletionTimestamp: 'now' });
        await it.woken();
        it.bindings.put(it.binding('a', ['empty']));
      },
      want: ['cluster a', 'set web'],
    },
  ];
  for (const { why, act, want } of cases) {
    it(why, async () => {
      const stage = await Stage.open();
      await act(stage);
      assert.deepEqual(await stage.woken(), want);
      await stage.close();
    });
  }
});
