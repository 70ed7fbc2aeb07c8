import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_LABELS } from '#kit/std';
import { aDomain, aWorkspace } from '../testing/a-workspace.ts';
import { patchWorkspace, type WorkspacePatch } from './patch-workspace.ts';

const before = aWorkspace({
  displayName: 'Web',
  labels: { env: 'prod', team: 'a' },
  version: 4,
  generation: 3,
  updateTime: 2_000,
});

describe('a patch', () => {
  for (const { why, patch, want } of [
    { why: 'sets the display name', patch: { displayName: 'Shop' }, want: { displayName: 'Shop' } },
    { why: 'removes the display name', patch: { displayName: null }, want: { displayName: undefined } },
    {
      why: 'adds a label and keeps the others in order',
      patch: { labels: { a: '1' } },
      want: { labels: { a: '1', env: 'prod', team: 'a' } },
    },
    { why: 'changes a label', patch: { labels: { env: 'test' } }, want: { labels: { env: 'test', team: 'a' } } },
    { why: 'removes a label', patch: { labels: { env: null } }, want: { labels: { team: 'a' } } },
    { why: 'removes all labels', patch: { labels: null }, want: { labels: {} } },
  ] satisfies { why: string; patch: WorkspacePatch; want: object }[]) {
    it(why, () => {
      const after = patchWorkspace(before, patch, 9_000);
      assert.deepEqual(after, { ...before, ...want, version: 5, generation: 4, updateTime: 9_000 });
      assert.deepEqual(Object.keys(after.labels), Object.keys(after.labels).toSorted());
    });
  }

  for (const { why, patch } of [
    { why: 'says nothing', patch: {} },
    { why: 'says what is so already', patch: { displayName: 'Web', labels: { team: 'a' } } },
    { why: 'removes a label that is not there', patch: { labels: { toString: null } } },
    { why: 'has no labels in it', patch: { labels: {} } },
  ] satisfies { why: string; patch: WorkspacePatch }[]) {
    it(`leaves the very same workspace when it ${why}`, () => {
      assert.equal(patchWorkspace(before, patch, 9_000), before);
    });
  }

  it('does not take one label for another', () => {
    assert.notEqual(patchWorkspace(aWorkspace({ labels: { a: '' } }), { labels: { a: null, b: '' } }, 1).version, 1);
  });

  it('never makes a workspace older, whatever the clock says', () => {
    assert.equal(patchWorkspace(before, { displayName: null }, 1).updateTime, before.updateTime);
  });

  for (const { why, patch, path } of [
    { why: 'makes a bad display name', patch: { displayName: ' Shop' }, path: '/displayName' },
    { why: 'sets a bad label', patch: { labels: { 'a b': 'c' } }, path: '/labels/a b' },
    {
      why: 'makes too many labels',
      patch: { labels: Object.fromEntries(Array.from({ length: MAX_LABELS }, (_, index) => [`key-${index}`, 'x'])) },
      path: '/labels',
    },
    { why: 'gives a folder a region', patch: { region: 'eu' }, path: '/region' },
  ] satisfies { why: string; patch: WorkspacePatch; path: string }[]) {
    it(`is refused when it ${why}`, () => {
      assert.throws(
        () => patchWorkspace(before, patch, 9_000),
        (error: { code?: string; faults?: { path: string }[] }) => {
          assert.deepEqual([error.code, error.faults?.map((fault) => fault.path)], ['INVALID_WORKSPACE', [path]]);
          return true;
        },
      );
    });
  }

  it('pins a domain to a region, and lets it go again', () => {
    const pinned = patchWorkspace(aDomain(), { region: 'eu-1' }, 9_000);
    assert.deepEqual([pinned.region, pinned.version, pinned.slug], ['eu-1', 2, 'acme']);
    assert.equal(patchWorkspace(pinned, { region: 'eu-1' }, 9_000), pinned);
    assert.equal(patchWorkspace(pinned, { region: null }, 9_000).region, undefined);
  });

  it('has no say in the region of a project', () => {
    const project = aWorkspace({ kind: 'project', region: 'eu-1' });
    for (const region of ['eu-1', 'us-1', null]) {
      assert.throws(() => patchWorkspace(project, { region }, 9_000), { code: 'INVALID_WORKSPACE' });
    }
    assert.equal(patchWorkspace(project, { displayName: 'Web' }, 9_000).region, 'eu-1');
  });
});
