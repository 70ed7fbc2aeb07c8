import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseResourceName, type ResourceName } from '#kit/std';
import { PATIENCE_MS } from '#testing/patience';
import type { WorkspaceRange, WorkspaceReader, WorkspaceStore, WorkspaceTree } from '../application/ports.ts';
import type { Workspace } from '../domain/workspace.ts';
import { aWorkspace, names, uidCounter } from './a-workspace.ts';

/** A store of its own that contains only the root. */
export interface OpenedStore {
  readonly reader: WorkspaceReader;
  /** One unit of work, committed when the body resolves. */
  unit<T>(body: (store: WorkspaceStore, tree: WorkspaceTree) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export const ALL_WORKSPACES: WorkspaceRange = {
  within: undefined,
  visible: { kind: 'everything' },
  after: undefined,
  limit: 100,
};

/** The contract of `WorkspaceStore` and `WorkspaceReader`, for every implementation. */
export function workspaceStoreContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`workspace store: ${name}`, () => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const newUid = uidCounter();
    let opened: OpenedStore;
    let number = 0;

    before(async () => {
      opened = await open();
    });
    after(async () => await opened.close());

    const fresh = (its: Partial<Workspace> = {}): Workspace =>
      aWorkspace({ name: parseResourceName(`workspace-${(number += 1)}`), uid: newUid(), ...its });
    const below = (parent: Workspace, its: Partial<Workspace> = {}): Workspace =>
      fresh({ ancestors: [...parent.ancestors, parent.name], ...its });
    const stored = async (...workspaces: Workspace[]): Promise<void> => {
      for (const workspace of workspaces) await opened.unit((store) => store.insert(workspace, signal));
    };
    const find = (name: ResourceName) => opened.reader.find(name, signal);
    const listed = async (its: { parent?: ResourceName; after?: string; limit?: number }) => {
      const within = its.parent === undefined ? undefined : { parent: its.parent, subtree: false };
      const range = { ...ALL_WORKSPACES, ...its, within };
      return (await opened.reader.list(range, signal)).map((workspace) => workspace.name);
    };

    it('begins with the root', async () => {
      const root = await find(parseResourceName('root'));
      assert.deepEqual([root?.ancestors, root?.kind, root?.labels, root?.version], [[], 'folder', {}, 1]);
    });

    it('gives back all of what it was given, in the unit and outside', async () => {
      const bare = fresh();
      const full = below(bare, {
        displayName: '東京 🗼 "quoted" \\ \'n',
        labels: { 'a.example/b': '1', constructor: '', env: 'prod' },
        generation: 3,
        version: 7,
        createTime: 1_900_000_000_000,
        updateTime: 1_900_000_000_001,
      });
      for (const workspace of [bare, full]) {
        const seen = await opened.unit(async (store) => {
          await store.insert(workspace, signal);
          return await store.find(workspace.name, signal);
        });
        assert.deepEqual(seen, workspace);
        assert.deepEqual(await find(workspace.name), workspace);
      }
    });

    it('says of a name that nobody has that there is nothing', async () => {
      const [nobody = assert.fail()] = names('nobody');
      assert.equal(await find(nobody), undefined);
      assert.equal(await opened.unit((store) => store.find(nobody, signal)), undefined);
      assert.deepEqual(await opened.unit((store) => store.childrenOf(nobody, 10, signal)), { count: 0, names: [] });
      assert.deepEqual(await listed({ parent: nobody }), []);
    });

    it('shows nothing of a unit before it ends, and nothing of one that is not kept', async () => {
      const [workspace, own] = [fresh(), new Error('changed my mind')];
      const seenMeanwhile: unknown[] = [];
      const unit = opened.unit(async (store) => {
        await store.insert(workspace, signal);
        seenMeanwhile.push(await find(workspace.name));
        throw own;
      });
      await assert.rejects(unit, (error) => error === own);
      assert.deepEqual([...seenMeanwhile, await find(workspace.name)], [undefined, undefined]);
    });

    it('replaces the version before, and no other', async () => {
      const first = fresh({ displayName: 'First', labels: { a: '1' } });
      const second = {
        ...first,
        displayName: undefined,
        labels: { b: '2' },
        generation: 2,
        version: 2,
        updateTime: 2_000,
      };
      await stored(first);
      await opened.unit((store) => store.replace(second, signal));
      assert.deepEqual(await find(first.name), second);
      for (const version of [1, 2, 4]) {
        const unit = opened.unit((store) => store.replace({ ...second, displayName: 'Lost', version }, signal));
        await assert.rejects(unit, { code: 'VERSION_STALE' });
      }
      assert.deepEqual(await find(first.name), second);
    });

    it('removes the version that was seen, and no other', async () => {
      const workspace = fresh({ version: 2 });
      await stored(workspace);
      for (const version of [1, 3]) {
        const unit = opened.unit((store) => store.remove({ ...workspace, version }, signal));
        await assert.rejects(unit, { code: 'VERSION_STALE' });
      }
      await opened.unit((store) => store.remove(workspace, signal));
      assert.equal(await find(workspace.name), undefined);
    });

    it('does not take a workspace for an earlier one of its name', async () => {
      const [earlier, later] = [fresh(), newUid()];
      await stored(earlier);
      await opened.unit((store) => store.remove(earlier, signal));
      await stored({ ...earlier, uid: later });
      await assert.rejects(
        opened.unit((store) => store.remove(earlier, signal)),
        { code: 'VERSION_STALE' },
      );
      const replaced = opened.unit((store) => store.replace({ ...earlier, version: 2 }, signal));
      await assert.rejects(replaced, { code: 'VERSION_STALE' });
      assert.equal((await find(earlier.name))?.uid, later);
    });

    it('counts the workspaces directly in one, and names the first of them', async () => {
      const parent = fresh();
      const children = names('child-c', 'child-a', 'child-b').map((child) => below(parent, { name: child }));
      await stored(parent, ...children, below(children[0] ?? parent));
      const found = (limit: number) => opened.unit((store) => store.childrenOf(parent.name, limit, signal));
      assert.deepEqual(await found(10), { count: 3, names: ['child-a', 'child-b', 'child-c'] });
      assert.deepEqual(await found(2), { count: 3, names: ['child-a', 'child-b'] });
    });

    it('lists by name in the order of bytes, from a place on, all or those in one workspace', async () => {
      const parent = fresh();
      const sorted = ['ab-c', 'ab0', 'abc', 'abc-d', 'abcd'];
      await stored(parent, ...names(...sorted.toReversed()).map((each) => below(parent, { name: each })));
      assert.deepEqual(await listed({ parent: parent.name }), sorted);
      assert.deepEqual(await listed({ parent: parent.name, after: 'ab0', limit: 2 }), sorted.slice(2, 4));
      assert.deepEqual(await listed({ parent: parent.name, after: 'abcd' }), []);
      const all = await listed({ limit: 1_000 });
      assert.deepEqual(all, all.toSorted());
      assert.ok(all.includes(parseResourceName('root')) && all.includes(parent.name));
      assert.deepEqual(await listed({ after: all[0] ?? '', limit: 3 }), all.slice(1, 4));
    });

    it('lets one of two win who want the same name', async () => {
      const attempts = Array.from({ length: 8 }, () => fresh({ name: parseResourceName('wanted') }));
      const outcomes = await Promise.all(
        attempts.map((attempt) =>
          opened.unit(async (store) => {
            if (await store.find(attempt.name, signal)) return 'taken';
            await store.insert(attempt, signal);
            return 'mine';
          }),
        ),
      );
      assert.equal(outcomes.filter((outcome) => outcome === 'mine').length, 1);
    });

    it('never leaves a child without its parent when one comes as the other goes', async () => {
      for (let round = 0; round < 5; round += 1) {
        const parent = fresh();
        const child = below(parent);
        await stored(parent);
        const [created, deleted] = await Promise.all([
          opened.unit(async (store) => {
            if (!(await store.find(parent.name, signal))) return false;
            await store.insert(child, signal);
            return true;
          }),
          opened.unit(async (store) => {
            if ((await store.childrenOf(parent.name, 1, signal)).count > 0) return false;
            await store.remove(parent, signal);
            return true;
          }),
        ]);
        assert.notEqual(created, deleted, `round ${round}`);
        assert.equal((await find(parent.name)) === undefined, deleted);
        assert.equal((await find(child.name)) === undefined, !created);
      }
    });

    it('does nothing once it is told to stop', async () => {
      const [workspace, gone] = [fresh(), AbortSignal.abort(new Error('gone'))];
      for (const use of [
        () => opened.reader.find(workspace.name, gone),
        () => opened.reader.list(ALL_WORKSPACES, gone),
        () => opened.unit((store) => store.find(workspace.name, gone)),
        () => opened.unit((store) => store.childrenOf(workspace.name, 1, gone)),
        () => opened.unit((store) => store.insert(workspace, gone)),
        () => opened.unit((store) => store.replace(workspace, gone)),
        () => opened.unit((store) => store.remove(workspace, gone)),
      ]) {
        await assert.rejects(use, { message: 'gone' });
      }
    });
  });
}
