import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseResourceName } from '#kit/std';
import { PATIENCE_MS } from '#testing/patience';
import type { WorkspaceRange } from '../application/ports.ts';
import type { Workspace } from '../domain/workspace.ts';
import { aWorkspace, uidCounter } from './a-workspace.ts';
import { ALL_WORKSPACES, type OpenedStore } from './workspace-store-contract.ts';

/** The contract of `WorkspaceTree`, and of `WorkspaceReader` for subtrees, for every implementation. */
export function workspaceTreeContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`workspace tree: ${name}`, () => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const newUid = uidCounter();
    let opened: OpenedStore;
    before(async () => {
      opened = await open();
      await grow(
        'emea',
        'acme/domain in emea',
        'shop/project in acme',
        'team in shop',
        'other/domain',
        'store/project in other',
        'emea-2',
      );
    });
    after(async () => await opened.close());

    /** `name/kind in parent`; default: a folder in the root. */
    const grow = async (...texts: readonly string[]): Promise<void> => {
      for (const text of texts) {
        const [what = '', parent = 'root'] = text.split(' in ');
        const [own = '', kind = 'folder'] = what.split('/');
        const above = await get(parent);
        const its = { name: parseResourceName(own), uid: newUid(), kind: kind as Workspace['kind'] };
        const ancestors = [...above.ancestors, above.name];
        const slug = kind === 'domain' ? own : undefined;
        await opened.unit((store) => store.insert(aWorkspace({ ...its, ancestors, slug }), signal));
      }
    };
    const get = async (own: string): Promise<Workspace> =>
      (await opened.reader.find(parseResourceName(own), signal)) ?? assert.fail(`${own} is not there`);
    const listed = async (its: Partial<WorkspaceRange>) =>
      (await opened.reader.list({ ...ALL_WORKSPACES, ...its }, signal)).map((each) => String(each.name));
    const below = (parent: string) => ({ parent: parseResourceName(parent), subtree: true });
    const directly = (parent: string) => ({ parent: parseResourceName(parent), subtree: false });
    const only = (...workspaces: readonly string[]) => ({ kind: 'some' as const, workspaces });

    it('knows the project that a workspace is, or is in', async () => {
      for (const [own, project] of [
        ['shop', 'shop'],
        ['team', 'shop'],
        ['acme', undefined],
        ['root', undefined],
      ] as const) {
        const workspace = await get(own);
        assert.equal(await opened.unit((_, tree) => tree.projectOf(workspace, signal)), project);
      }
    });

    it('finds a domain by its slug', async () => {
      assert.equal(await opened.unit((_, tree) => tree.domainOfSlug('acme', signal)), 'acme');
      assert.equal(await opened.unit((_, tree) => tree.domainOfSlug('emea', signal)), undefined);
    });

    it('measures a subtree, and nothing that merely begins alike', async () => {
      for (const [own, want] of [
        ['emea', { size: 4, depth: 3, domains: 1 }],
        ['team', { size: 1, depth: 0, domains: 0 }],
        ['root', { size: 8, depth: 4, domains: 2 }],
      ] as const) {
        const workspace = await get(own);
        assert.deepEqual(await opened.unit((_, tree) => tree.subtreeOf(workspace, signal)), want);
      }
    });

    for (const { why, range, want } of [
      { why: 'what is below one', range: { within: below('emea') }, want: ['acme', 'shop', 'team'] },
      { why: 'what is below one of no name', range: { within: below('nobody') }, want: [] },
      { why: 'a page of it', range: { within: below('emea'), after: 'acme', limit: 1 }, want: ['shop'] },
      {
        why: 'what somebody sees',
        range: { visible: only('shop', 'other') },
        want: ['other', 'shop', 'store', 'team'],
      },
      {
        why: 'a page of that',
        range: { visible: only('shop', 'other'), after: 'other', limit: 2 },
        want: ['shop', 'store'],
      },
      { why: 'nothing for who sees nothing', range: { visible: only() }, want: [] },
      { why: 'nothing for what is gone', range: { visible: only('gone') }, want: [] },
      {
        why: 'what somebody sees of a subtree',
        range: { within: below('emea'), visible: only('shop', 'other') },
        want: ['shop', 'team'],
      },
      {
        why: 'all of a subtree in what he sees',
        range: { within: below('acme'), visible: only('emea') },
        want: ['shop', 'team'],
      },
      {
        why: 'not the top that he sees as below itself',
        range: { within: below('shop'), visible: only('shop') },
        want: ['team'],
      },
      {
        why: 'the children of what he sees',
        range: { within: directly('acme'), visible: only('emea') },
        want: ['shop'],
      },
      {
        why: 'the children that he sees of what he does not',
        range: { within: directly('root'), visible: only('other') },
        want: ['other'],
      },
      { why: 'no grandchildren as children', range: { within: directly('root'), visible: only('shop') }, want: [] },
      { why: 'nothing of what he does not see', range: { within: below('other'), visible: only('emea') }, want: [] },
    ]) {
      it(`lists ${why}`, async () => assert.deepEqual(await listed(range), want));
    }

    it('moves a subtree, and nothing else', async () => {
      await grow('from', 'top in from', 'mid in top', 'low in mid', 'from-2', 'beside in from-2', 'to');
      const [before, to] = [await get('top'), await get('to')];
      const next = { ...before, ancestors: [...to.ancestors, to.name], generation: 2, version: 2, updateTime: 5_000 };
      await opened.unit((_, tree) => tree.move(before, next, signal));
      assert.deepEqual(await get('top'), next);
      assert.deepEqual((await get('low')).ancestors, ['root', 'to', 'top', 'mid']);
      assert.equal((await get('low')).version, 1);
      assert.deepEqual((await get('beside')).ancestors, ['root', 'from-2']);
      assert.deepEqual(await listed({ within: below('from') }), []);
      assert.deepEqual(await listed({ within: directly('to') }), ['top']);
      const again = opened.unit((_, tree) => tree.move(before, next, signal));
      await assert.rejects(again, { code: 'VERSION_STALE' });
    });

    it('passes the region of a domain on to its projects, and tells those that had another', async () => {
      await grow('pinned/domain', 'p2/project in pinned', 'p1/project in pinned', 'inner in p1', 'beside-p in pinned');
      const domain = await get('pinned');
      const pass = (region: string | undefined, updateTime = 7_000) =>
        opened.unit((_, tree) => tree.passOnRegion({ ...domain, region, updateTime }, signal));
      const changed = await pass('eu-1');
      assert.deepEqual(
        changed.map((each) => [each.name, each.region, each.version, each.generation, each.updateTime]),
        [
          ['p1', 'eu-1', 2, 1, 7_000],
          ['p2', 'eu-1', 2, 1, 7_000],
        ],
      );
      assert.deepEqual([await get('p1'), await get('p2')], changed);
      assert.deepEqual(await pass('eu-1'), []);
      assert.deepEqual(
        (await pass(undefined, 1)).map((each) => [each.region, each.updateTime]),
        [
          [undefined, 7_000],
          [undefined, 7_000],
        ],
      );
      assert.equal((await get('inner')).version, 1);
    });

    it('does nothing once it is told to stop', async () => {
      const [workspace, gone] = [await get('team'), AbortSignal.abort(new Error('gone'))];
      for (const use of [
        () => opened.unit((_, tree) => tree.projectOf(workspace, gone)),
        () => opened.unit((_, tree) => tree.domainOfSlug('acme', gone)),
        () => opened.unit((_, tree) => tree.subtreeOf(workspace, gone)),
        () => opened.unit((_, tree) => tree.move(workspace, workspace, gone)),
        () => opened.unit((_, tree) => tree.passOnRegion(workspace, gone)),
      ]) {
        await assert.rejects(use, { message: 'gone' });
      }
    });
  });
}
