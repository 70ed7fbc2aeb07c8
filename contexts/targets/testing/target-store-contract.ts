import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import type { ConnectionStore, TargetRange, TargetReader, TargetStore } from '../application/ports.ts';
import type { Target } from '../domain/target.ts';
import { aTarget, named, placeAt, uidCounter } from './a-target.ts';

/** An empty store of its own, in a tree of `TREE`. */
export interface OpenedStore {
  readonly reader: TargetReader;
  /** One unit of work, committed when the body resolves. */
  unit<T>(body: (store: TargetStore, connections: ConnectionStore) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export const TREE = ['/root/', '/root/emea/', '/root/emea/web/', '/root/emea-2/', '/root/apac/'];

export const ALL_TARGETS: TargetRange = {
  within: undefined,
  type: undefined,
  visible: { kind: 'everything' },
  after: undefined,
  limit: 100,
};

/** The contract of `TargetStore`, `ConnectionStore` and `TargetReader`, for every implementation. */
export function targetStoreContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`target store: ${name}`, () => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const newUid = uidCounter();
    let opened: OpenedStore;
    let number = 0;
    before(async () => {
      opened = await open();
    });
    after(async () => await opened.close());

    const fresh = (its: Partial<Target> = {}): Target =>
      aTarget({ name: named(`target-${(number += 1)}`), uid: newUid(), ...its });
    const stored = async (...targets: Target[]): Promise<void> => {
      for (const target of targets) await opened.unit((store) => store.insert(target, signal));
    };
    const find = (target: Target) => opened.reader.find(target.name, signal);

    it('gives back all of what it was given, in the unit and outside', async () => {
      const bare = fresh();
      const full = fresh({
        type: 'thanos',
        workspace: placeAt('/root/emea/web/'),
        labels: { 'a.example/b': '1', constructor: '', env: 'prod' },
        reportedLabels: { 'agent.fleetshift.io/zone': 'a' },
        properties: { 'a "quoted" \\ key': [1, null, { deep: '東京' }] },
        reportedProperties: { version: '1.36' },
        advertisedManifestTypes: ['helm', 'inline'],
        lifecycle: 'Cordoned',
        connection: { state: 'Connected', lastSeenTime: 1_900_000_000_000 },
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'Fine',
            message: 'a\nb',
            lastTransitionTime: 5,
            observedGeneration: 2,
          },
        ],
        generation: 3,
        version: 7,
        updateTime: 1_900_000_000_001,
      });
      for (const target of [bare, full]) {
        const seen = await opened.unit(async (store) => {
          await store.insert(target, signal);
          return await store.find(target.name, signal);
        });
        assert.deepEqual(seen, target);
        assert.deepEqual(await find(target), target);
      }
      const next = {
        ...bare,
        ...full,
        name: bare.name,
        uid: bare.uid,
        type: bare.type,
        version: 2,
        generation: 2,
        createTime: bare.createTime,
      };
      await opened.unit((store) => store.replace(next, signal));
      assert.deepEqual(await find(bare), next);
    });

    it('says of a name that nobody has that there is nothing', async () => {
      assert.equal(await find(fresh()), undefined);
      assert.equal(await opened.unit((store) => store.find(fresh().name, signal)), undefined);
    });

    it('replaces the version before and removes the one that was seen, and no other', async () => {
      const first = fresh();
      await stored(first);
      await opened.unit((store) => store.replace({ ...first, version: 2 }, signal));
      for (const version of [1, 2, 4]) {
        await assert.rejects(
          opened.unit((store) => store.replace({ ...first, version }, signal)),
          { code: 'VERSION_STALE' },
        );
      }
      for (const version of [1, 3]) {
        await assert.rejects(
          opened.unit((store) => store.remove({ ...first, version }, signal)),
          { code: 'VERSION_STALE' },
        );
      }
      await opened.unit((store) => store.remove({ ...first, version: 2 }, signal));
      assert.equal(await find(first), undefined);
    });

    it('does not take a target for an earlier one of its name', async () => {
      const earlier = fresh();
      await stored({ ...earlier, uid: newUid() });
      await assert.rejects(
        opened.unit((store) => store.remove(earlier, signal)),
        { code: 'VERSION_STALE' },
      );
    });

    it('writes a thousand connections at once, and nothing else of their targets', async () => {
      const many = Array.from({ length: 1_000 }, (_, index) => fresh({ labels: { n: String(index) } }));
      await opened.unit(async (store) => {
        for (const target of many) await store.insert(target, signal);
      });
      const next = many.map(
        (target, index): Target => ({
          ...target,
          connection: { state: index % 2 === 0 ? 'Connected' : 'Disconnected', lastSeenTime: index },
          version: 2,
          updateTime: 2_000 + index,
        }),
      );
      await opened.unit((_, connections) => connections.replaceAll(next, signal));
      const names = [...many.map((target) => target.name), named('nobody')];
      const found = await opened.unit((_, connections) => connections.findAll(names, signal));
      assert.deepEqual(new Map(found.map((each) => [each.uid, each])), new Map(next.map((each) => [each.uid, each])));
      const [one] = next;
      await assert.rejects(
        opened.unit((_, connections) => connections.replaceAll(one ? [one] : [], signal)),
        { code: 'VERSION_STALE' },
      );
      await opened.unit((_, connections) => connections.replaceAll([], signal));
      const connected = (after: string | undefined, limit: number) =>
        opened.unit((_, connections) => connections.connected({ after, limit }, signal));
      const byName = next.filter(isConnected).sort((a, b) => (a.name < b.name ? -1 : 1));
      const first = (await connected(undefined, 600)).filter(({ uid }) => byName.some((each) => each.uid === uid));
      assert.deepEqual(first, byName);
      assert.deepEqual(
        (await connected(byName[9]?.name, 3)).map(({ name }) => name),
        byName.slice(10, 13).map(({ name }) => name),
      );
      await opened.unit(async (store) => {
        for (const target of next) await store.remove(target, signal);
      });
    });

    it('does nothing once it is told to stop', async () => {
      const [target, gone] = [fresh(), AbortSignal.abort(new Error('gone'))];
      for (const use of [
        () => opened.reader.find(target.name, gone),
        () => opened.reader.list(ALL_TARGETS, gone),
        () => opened.unit((store) => store.find(target.name, gone)),
        () => opened.unit((store) => store.insert(target, gone)),
        () => opened.unit((store) => store.replace(target, gone)),
        () => opened.unit((store) => store.remove(target, gone)),
        () => opened.unit((_, connections) => connections.findAll([target.name], gone)),
        () => opened.unit((_, connections) => connections.replaceAll([target], gone)),
        () => opened.unit((_, connections) => connections.connected({ after: undefined, limit: 1 }, gone)),
      ]) {
        await assert.rejects(use, { message: 'gone' });
      }
    });
  });

  targetListContract(name, open);
}

function targetListContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`target lists: ${name}`, () => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    let opened: OpenedStore;
    before(async () => {
      opened = await open();
      const newUid = uidCounter();
      const place = (own: string, path: string, type = 'kubernetes') =>
        opened.unit((store) =>
          store.insert(aTarget({ name: named(own), uid: newUid(), workspace: placeAt(path), type }), signal),
        );
      await place('f', '/root/');
      await place('e', '/root/emea/');
      await place('d', '/root/emea/web/', 'directory');
      await place('c', '/root/emea/web/');
      await place('b', '/root/emea-2/');
      await place('a', '/root/apac/');
    });
    after(async () => await opened.close());

    const below = (workspace: string) => ({ workspace: named(workspace), subtree: true });
    const directly = (workspace: string) => ({ workspace: named(workspace), subtree: false });
    const only = (workspaces: readonly string[], targets: readonly string[] = []) => ({
      kind: 'some' as const,
      workspaces,
      targets,
    });

    for (const { why, range, want } of [
      { why: 'all, in the order of names', range: {}, want: 'abcdef' },
      { why: 'a page', range: { after: 'b', limit: 2 }, want: 'cd' },
      { why: 'those of a type', range: { type: 'directory' }, want: 'd' },
      { why: 'what is directly in a workspace', range: { within: directly('web') }, want: 'cd' },
      {
        why: 'what is in a workspace on any level, and not in one that begins alike',
        range: { within: below('emea') },
        want: 'cde',
      },
      { why: 'a page of that', range: { within: below('emea'), after: 'c', limit: 1 }, want: 'd' },
      { why: 'those of a type in a subtree', range: { within: below('emea'), type: 'kubernetes' }, want: 'ce' },
      { why: 'nothing of a workspace of no name', range: { within: below('nobody') }, want: '' },
      { why: 'what somebody sees', range: { visible: only(['web', 'apac']) }, want: 'acd' },
      { why: 'a page of what he sees', range: { visible: only(['web', 'apac']), after: 'a', limit: 1 }, want: 'c' },
      { why: 'what is granted one by one', range: { visible: only(['web'], ['a', 'nobody']) }, want: 'acd' },
      { why: 'only what is granted one by one', range: { visible: only([], ['f']) }, want: 'f' },
      { why: 'nothing for who sees nothing', range: { visible: only([]) }, want: '' },
      {
        why: 'what he sees of a subtree',
        range: { within: below('emea'), visible: only(['web', 'apac'], ['e', 'b']) },
        want: 'cde',
      },
      { why: 'all of a subtree in what he sees', range: { within: below('web'), visible: only(['emea']) }, want: 'cd' },
      {
        why: 'what is directly in what he sees',
        range: { within: directly('emea'), visible: only(['emea']) },
        want: 'e',
      },
      {
        why: 'what is granted in what he does not see',
        range: { within: directly('web'), visible: only(['apac'], ['d', 'f']) },
        want: 'd',
      },
      { why: 'nothing of what he does not see', range: { within: directly('web'), visible: only(['apac']) }, want: '' },
      {
        why: 'nothing below what he does not see',
        range: { within: below('emea'), visible: only(['apac']) },
        want: '',
      },
    ]) {
      it(`have ${why}`, async () => {
        const targets = await opened.reader.list({ ...ALL_TARGETS, ...range }, signal);
        assert.equal(targets.map((target) => target.name).join(''), want);
      });
    }
  });
}

function isConnected({ connection }: Target): boolean {
  return connection.state === 'Connected';
}
