import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseResourceName } from '#kit/std';
import { aDomain, aWorkspace, names, theRoot } from '../testing/a-workspace.ts';
import { changesOfMove, type Destination, moveWorkspace } from './move-workspace.ts';
import { MAX_DEPTH, type Workspace } from './workspace.ts';

const ALONE = { size: 1, depth: 0, domains: 0 };
const emea = aWorkspace({ name: parseResourceName('emea') });
const project = aWorkspace({ name: parseResourceName('shop'), kind: 'project', ancestors: names('root', 'acme') });
const to = (parent: Workspace, its: Partial<Destination> = {}): Destination => ({
  parent,
  project: undefined,
  subtree: ALONE,
  now: 9_000,
  ...its,
});

describe('a move', () => {
  it('puts a workspace elsewhere and changes nothing else of it', () => {
    const web = aWorkspace();
    const want = { ...web, ancestors: ['root', 'emea'], generation: 2, version: 2, updateTime: 9_000 };
    assert.deepEqual(moveWorkspace(web, to(emea)), want);
  });

  it('to where it is leaves the very same workspace', () => {
    const web = aWorkspace();
    assert.equal(moveWorkspace(web, to(theRoot())), web);
  });

  it('never makes a workspace older, whatever the clock says', () => {
    assert.equal(moveWorkspace(aWorkspace({ updateTime: 10_000 }), to(emea)).updateTime, 10_000);
  });

  it('gives a project the region of its new domain, and leaves that of a domain', () => {
    const other = aDomain({ name: parseResourceName('other'), region: 'us-1' });
    assert.equal(moveWorkspace({ ...project, region: 'eu-1' }, to(other)).region, 'us-1');
    assert.equal(moveWorkspace({ ...project, region: 'eu-1' }, to({ ...other, region: undefined })).region, undefined);
    assert.equal(moveWorkspace(aDomain({ region: 'eu-1' }), to(emea)).region, 'eu-1');
  });

  const inside = { subtree: { size: 3, depth: 2, domains: 1 } };
  const deep = aWorkspace({
    name: parseResourceName('deep'),
    ancestors: names('root', ...Array.from({ length: MAX_DEPTH - 3 }, (_, level) => `l${level}`)),
  });
  for (const { why, workspace, destination, code } of [
    { why: 'the root', workspace: theRoot(), destination: to(emea), code: 'ROOT_IS_FIXED' },
    { why: 'a workspace into itself', workspace: emea, destination: to(emea), code: 'MOVE_INTO_ITSELF' },
    {
      why: 'a workspace into what is below it',
      workspace: emea,
      destination: to(aWorkspace({ ancestors: names('root', 'emea') })),
      code: 'MOVE_INTO_ITSELF',
    },
    {
      why: 'a domain into a domain',
      workspace: aDomain(),
      destination: to(aDomain({ name: parseResourceName('b') })),
      code: 'WRONG_PARENT',
    },
    {
      why: 'a domain into a project',
      workspace: aDomain({ name: parseResourceName('b') }),
      destination: to(project, { project: project.name }),
      code: 'WRONG_PARENT',
    },
    {
      why: 'a domain into a folder of a project',
      workspace: aDomain(),
      destination: to(emea, { project: project.name, subtree: { size: 1, depth: 0, domains: 1 } }),
      code: 'WRONG_PARENT',
    },
    { why: 'a project into a folder', workspace: project, destination: to(emea), code: 'WRONG_PARENT' },
    { why: 'a project into the root', workspace: project, destination: to(theRoot()), code: 'WRONG_PARENT' },
    {
      why: 'a folder that holds a domain into a project',
      workspace: emea,
      destination: to(project, { ...inside, project: project.name }),
      code: 'WRONG_PARENT',
    },
    { why: 'a subtree to where it is too deep', workspace: emea, destination: to(deep, inside), code: 'TREE_TOO_DEEP' },
  ]) {
    it(`of ${why} is refused`, () => assert.throws(() => moveWorkspace(workspace, destination), { code }));
  }

  for (const { why, workspace, destination } of [
    { why: 'a folder into a project', workspace: emea, destination: to(project, { project: project.name }) },
    { why: 'a folder into a domain', workspace: emea, destination: to(aDomain()) },
    { why: 'a domain into a folder', workspace: aDomain(), destination: to(emea, inside) },
    {
      why: 'a subtree onto the lowest levels',
      workspace: emea,
      destination: to(deep, { subtree: { ...ALONE, depth: 1 } }),
    },
  ]) {
    it(`of ${why} is possible`, () => {
      assert.equal(moveWorkspace(workspace, destination).ancestors.at(-1), destination.parent.name);
    });
  }
});

describe('what a move changes', () => {
  it('is told with where it was and is, and how many go with it', () => {
    const web = aWorkspace();
    assert.deepEqual(changesOfMove(web, moveWorkspace(web, to(emea)), { ...ALONE, size: 3 }), [
      { kind: 'parent', message: 'web moves from root to emea.', from: 'root', to: 'emea' },
      { kind: 'workspaces', message: '3 workspaces move.', count: 3 },
    ]);
  });

  it('names regions only where they change', () => {
    const before = { ...project, region: 'eu-1' };
    const after = moveWorkspace(before, to(aDomain({ name: parseResourceName('other') })));
    assert.deepEqual(changesOfMove(before, after, ALONE).at(-1), {
      kind: 'region',
      message: "The region of shop is its domain's: eu-1 before, none afterwards.",
      from: 'eu-1',
    });
  });
});
