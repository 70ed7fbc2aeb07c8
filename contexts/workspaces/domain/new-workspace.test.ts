import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aDomain, aWorkspace, names, theRoot, uidOf } from '../testing/a-workspace.ts';
import { newWorkspace, parseDraft, type RawDraft } from './new-workspace.ts';
import { MAX_DEPTH, workspaceFaults } from './workspace.ts';
import { WorkspaceError } from './workspace-error.ts';

function refusal(body: () => unknown): WorkspaceError {
  try {
    body();
  } catch (error) {
    if (error instanceof WorkspaceError) return error;
    throw error;
  }
  return assert.fail('nothing was refused');
}

describe('a draft', () => {
  it('is a folder in the root unless it says otherwise', () => {
    assert.deepEqual(parseDraft({ name: 'web' }), {
      name: 'web',
      kind: 'folder',
      parent: 'root',
      slug: undefined,
      region: undefined,
      displayName: undefined,
      labels: {},
    });
  });

  it('keeps what it says', () => {
    const draft = {
      name: 'web',
      kind: 'domain',
      parent: 'emea',
      slug: 'web-2',
      region: 'eu-central-1',
      displayName: '東京 🗼',
      labels: { a: '1', b: '2' },
    };
    assert.deepEqual(parseDraft(draft), draft);
  });

  for (const { why, draft, path } of [
    { why: 'a name that is none', draft: { name: 'Web' }, path: '/name' },
    { why: 'a parent that cannot be a name', draft: { name: 'web', parent: 'a/b' }, path: '/parent' },
    { why: 'a kind that nobody knows', draft: { name: 'web', kind: 'galaxy' }, path: '/kind' },
    { why: 'an empty display name', draft: { name: 'web', displayName: '' }, path: '/displayName' },
    { why: 'a display name of spaces', draft: { name: 'web', displayName: '  ' }, path: '/displayName' },
    { why: 'a display name of two lines', draft: { name: 'web', displayName: 'a\nb' }, path: '/displayName' },
    {
      why: 'a character that Postgres cannot store',
      draft: { name: 'web', displayName: 'a\0b' },
      path: '/displayName',
    },
    { why: 'half of a surrogate pair', draft: { name: 'web', displayName: 'a\ud800b' }, path: '/displayName' },
    { why: 'a display name too long', draft: { name: 'web', displayName: '🗼'.repeat(129) }, path: '/displayName' },
    { why: 'a slug that is no domain', draft: { name: 'web', slug: 'web' }, path: '/slug' },
    { why: 'a slug that is not kebab-case', draft: { name: 'web', kind: 'domain', slug: 'a--b' }, path: '/slug' },
    { why: 'a name that cannot be the slug too', draft: { name: 'a--b', kind: 'domain' }, path: '/slug' },
    { why: 'a region that is not kebab-case', draft: { name: 'web', kind: 'domain', region: 'EU' }, path: '/region' },
    { why: 'a region for a folder', draft: { name: 'web', region: 'eu' }, path: '/region' },
    {
      why: 'a region for a project, whose domain has it',
      draft: { name: 'web', kind: 'project', region: 'eu' },
      path: '/region',
    },
    { why: 'a label that is none', draft: { name: 'web', labels: { 'a b': 'c' } }, path: '/labels/a b' },
  ] satisfies { why: string; draft: RawDraft; path: string }[]) {
    it(`is refused with ${why}`, () => {
      const { code, faults } = refusal(() => parseDraft(draft));
      assert.deepEqual([code, faults.map((fault) => fault.path)], ['INVALID_WORKSPACE', [path]]);
    });
  }

  it('may have a display name of 128 characters, however many units each has', () => {
    assert.equal(parseDraft({ name: 'web', displayName: '🗼'.repeat(128) }).displayName?.length, 256);
  });

  it('of a domain has its name for a slug, unless it says otherwise', () => {
    assert.equal(parseDraft({ name: 'acme', kind: 'domain' }).slug, 'acme');
    assert.equal(parseDraft({ name: 'acme', kind: 'domain', slug: 'acme-inc' }).slug, 'acme-inc');
  });

  it('is told everything that is wrong with it at once', () => {
    const { faults } = refusal(() =>
      parseDraft({ name: '-', parent: '-', kind: '-', displayName: ' ', labels: { '-': '-' } }),
    );
    const paths = faults.map((fault) => fault.path).toSorted();
    assert.deepEqual(paths, ['/displayName', '/kind', '/labels/-', '/name', '/parent']);
  });
});

describe('a new workspace', () => {
  const draft = parseDraft({ name: 'web', parent: 'emea', labels: { env: 'prod' } });
  const emea = aWorkspace({ name: draft.parent });

  it('stands below its parent, and begins to count', () => {
    const workspace = newWorkspace(draft, { parent: emea, project: undefined, uid: uidOf(7), now: 5_000 });
    assert.deepEqual(workspace, {
      name: 'web',
      uid: uidOf(7),
      kind: 'folder',
      ancestors: ['root', 'emea'],
      slug: undefined,
      region: undefined,
      displayName: undefined,
      labels: { env: 'prod' },
      generation: 1,
      version: 1,
      createTime: 5_000,
      updateTime: 5_000,
    });
    assert.deepEqual(workspaceFaults(workspace), []);
  });

  it('has the region of its domain when it is a project', () => {
    const project = parseDraft({ name: 'shop', kind: 'project', parent: 'acme' });
    const founding = { parent: aDomain({ region: 'eu-1' }), project: undefined, uid: uidOf(7), now: 0 };
    assert.equal(newWorkspace(project, founding).region, 'eu-1');
  });

  it('may stand on the lowest level, but not below it', () => {
    const above = names('root', ...Array.from({ length: MAX_DEPTH - 2 }, (_, level) => `level-${level}`));
    const lowest = newWorkspace(draft, {
      parent: aWorkspace({ ...emea, ancestors: above }),
      project: undefined,
      uid: uidOf(7),
      now: 0,
    });
    assert.equal(lowest.ancestors.length, MAX_DEPTH);
    const { code, faults } = refusal(() =>
      newWorkspace(draft, { parent: lowest, project: undefined, uid: uidOf(8), now: 0 }),
    );
    assert.deepEqual([code, faults[0]?.path], ['TREE_TOO_DEEP', '/parent']);
  });
});

describe('a workspace from elsewhere', () => {
  for (const { why, workspace, path } of [
    { why: 'does not descend from the root', workspace: aWorkspace({ ancestors: names('emea') }), path: '/parent' },
    { why: 'has no parent and is not the root', workspace: aWorkspace({ ancestors: [] }), path: '/parent' },
    { why: 'descends from itself', workspace: aWorkspace({ ancestors: names('root', 'web') }), path: '/parent' },
    { why: 'is the root and has a parent', workspace: theRoot({ ancestors: names('root') }), path: '/parent' },
    {
      why: 'is deeper than the tree',
      workspace: aWorkspace({
        ancestors: names('root', ...Array.from({ length: MAX_DEPTH }, (_, level) => `l${level}`)),
      }),
      path: '/parent',
    },
    { why: 'is a domain without a slug', workspace: aDomain({ slug: undefined }), path: '/slug' },
    { why: 'is a folder with a slug', workspace: aWorkspace({ slug: 'web' }), path: '/slug' },
    { why: 'is a folder with a region', workspace: aWorkspace({ region: 'eu' }), path: '/region' },
    { why: 'has a bad label', workspace: aWorkspace({ labels: { a: '-' } }), path: '/labels/a' },
    { why: 'has a bad display name', workspace: aWorkspace({ displayName: '' }), path: '/displayName' },
    { why: 'has no generation', workspace: aWorkspace({ generation: Number.NaN }), path: '/generation' },
    { why: 'has more generations than versions', workspace: aWorkspace({ generation: 2 }), path: '/generation' },
    { why: 'was changed before it was made', workspace: aWorkspace({ updateTime: 1 }), path: '/updateTime' },
  ]) {
    it(`is at fault when it ${why}`, () => {
      assert.deepEqual(
        workspaceFaults(workspace).map((fault) => fault.path),
        [path],
      );
    });
  }

  it('is the root without a parent', () => assert.deepEqual(workspaceFaults(theRoot()), []));
});
