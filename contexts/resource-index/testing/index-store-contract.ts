import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import type { IndexStore } from '../application/sink/ports.ts';
import { BUCKETS, bucketOf } from '../domain/bucket.ts';
import type { IndexDelta } from '../domain/index-message.ts';
import { keyText } from '../domain/indexed-object.ts';
import { KnownObjects } from '../domain/known-objects.ts';
import { aKey, anIndexed } from './an-index.ts';

export interface OpenedIndexStore {
  readonly store: IndexStore;
  close(): Promise<void>;
}

const NOW = Date.UTC(2030, 0, 1);
const EVERY_BUCKET = Array.from({ length: BUCKETS }, (_, bucket) => bucket);

/** The contract of `IndexStore`, for every implementation. Only the targets that it is opened with exist. */
export function indexStoreContract(
  name: string,
  open: (targets: readonly string[]) => Promise<OpenedIndexStore>,
): void {
  describe(`index store: ${name}`, () => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const targets = Array.from({ length: 9 }, (_, index) => `target-${index}`);
    let opened: OpenedIndexStore;
    let used = 0;
    before(async () => {
      opened = await open(targets);
    });
    after(async () => await opened.close());

    const fresh = (): string => targets[used++] ?? assert.fail('more targets are needed');
    const delta = (its: Partial<IndexDelta>): IndexDelta => ({ put: [], deleted: [], droppedTypes: [], ...its });
    const apply = async (target: string, ...deltas: readonly Partial<IndexDelta>[]) =>
      await opened.store.apply(
        deltas.map((each) => ({ target, delta: delta(each) })),
        NOW,
        signal,
      );
    const held = async (target: string, type = 'v1/Box', buckets = EVERY_BUCKET): Promise<readonly string[]> => {
      const parts = await opened.store.held(target, { type, buckets }, signal);
      return parts
        .flat()
        .map((object) => `${keyText(object)} ${object.digest}`)
        .sort((one, other) => (one < other ? -1 : 1));
    };

    it('keeps the latest of each object', async () => {
      const target = fresh();
      const [first, second] = [anIndexed('a'), anIndexed('a', { size: 2 })];
      assert.deepEqual(await apply(target, { put: [first, anIndexed('b')] }), { put: 2, deleted: 0, refused: 0 });
      await apply(target, { put: [second] });
      assert.deepEqual(await held(target), [`shop/a ${second.digest}`, `shop/b ${anIndexed('b').digest}`]);
    });

    it('takes what is told together in order, also when one object is in it twice', async () => {
      const target = fresh();
      const again = anIndexed('a', { size: 3 });
      await apply(
        target,
        { put: [anIndexed('a'), anIndexed('b')] },
        { deleted: [aKey('a'), aKey('b')] },
        { put: [again] },
      );
      assert.deepEqual(await held(target), [`shop/a ${again.digest}`]);
    });

    it('deletes what it is told to, and nothing else', async () => {
      const target = fresh();
      const other = fresh();
      for (const each of [target, other]) await apply(each, { put: [anIndexed('a'), anIndexed('b')] });
      await apply(target, { deleted: [aKey('a'), aKey('never-was')] });
      assert.deepEqual(await held(target), [`shop/b ${anIndexed('b').digest}`]);
      assert.equal((await held(other)).length, 2);
    });

    it('drops a type, and keeps what came after that', async () => {
      const target = fresh();
      const crate = anIndexed('c', { type: 'v1/Crate' });
      await apply(target, { put: [anIndexed('a'), crate] });
      await apply(target, { put: [anIndexed('before')] }, { droppedTypes: ['v1/Box'] }, { put: [anIndexed('b')] });
      assert.deepEqual(await held(target), [`shop/b ${anIndexed('b').digest}`]);
      assert.deepEqual(await held(target, 'v1/Crate'), [`shop/c ${crate.digest}`]);
    });

    it('sums up buckets as whoever tells does', async () => {
      const target = fresh();
      const objects = Array.from({ length: 700 }, (_, index) => anIndexed(`n${index}`));
      await apply(target, { put: objects });
      const known = new KnownObjects();
      for (const object of objects) known.set(keyText(object.key), object);
      const [digest, ...others] = await opened.store.digests(target, NOW, signal);
      assert.deepEqual([digest?.type, others.length], ['v1/Box', 0]);
      assert.deepEqual(known.differing(digest?.sums ?? []), []);
      await apply(target, { deleted: [aKey('n1')] });
      const [after] = await opened.store.digests(target, NOW, signal);
      assert.deepEqual(known.differing(after?.sums ?? []), [bucketOf('shop/n1')]);
      const inBucket = await held(target, 'v1/Box', [bucketOf('shop/n2')]);
      assert.ok(inBucket.some((each) => each.startsWith('shop/n2 ')) && inBucket.length < 50);
    });

    it('does not count what has expired, though it may still be there', async () => {
      const target = fresh();
      await apply(target, { put: [anIndexed('old', { expireTime: NOW - 1 })] });
      assert.deepEqual(await opened.store.digests(target, NOW, signal), []);
    });

    it('keeps nothing of a target that is not there', async () => {
      assert.deepEqual(await apply('nobody', { put: [anIndexed('a')] }), { put: 0, deleted: 0, refused: 0 });
      assert.deepEqual(await held('nobody'), []);
      const types = [{ type: 'v1/Box', state: 'Followed', message: '', objects: 1 }] as const;
      await opened.store.report('nobody', { types, now: NOW }, signal);
    });

    it('leaves out what makes no sense, and keeps the rest', async () => {
      const target = fresh();
      const bad = [
        { ...anIndexed('no-json'), content: 'nonsense' },
        { ...anIndexed('large'), content: JSON.stringify({ text: 'x'.repeat(100_000) }) },
        { ...anIndexed('a\u0000b') },
        { ...anIndexed('beyond'), digest: 2 ** 60 },
        { ...anIndexed('nameless'), key: aKey('') },
      ];
      assert.deepEqual(await apply(target, { put: [...bad, anIndexed('good')] }), { put: 1, deleted: 0, refused: 5 });
      await apply(target, { deleted: [aKey('a\u0000b'), aKey('')], droppedTypes: ['v1/\u0000'] });
      const types = [{ type: 'v1/Box', state: 'Troubled', message: 'a\u0000b', objects: 1 }] as const;
      await opened.store.report(target, { types, now: NOW }, signal);
      assert.deepEqual(await held(target), [`shop/good ${anIndexed('good').digest}`]);
    });

    it('has one part of an answer also when there is nothing', async () => {
      assert.deepEqual(await opened.store.held(fresh(), { type: 'v1/Box', buckets: [1] }, signal), [[]]);
    });
  });
}
