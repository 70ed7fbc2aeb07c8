import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Principal } from '#kit/http';
import { parseResourceName } from '#kit/std';
import { AccessIndex } from '../domain/access-index.ts';
import { CALLERS, NOT_FOUND, plantTree, uidOf } from '../testing/access-api.ts';
import { authorizerOf, visibilityOf } from './authorizer.ts';
import { IndexedDecisions } from './indexed-decisions.ts';

const signal = new AbortController().signal;
const index = new AccessIndex();
plantTree(index);
const grant = (nth: number, on: 'web' | 'apac-1', role: 'viewer' | 'admin') =>
  index.apply({
    kind: 'grant',
    grant: {
      uid: uidOf(2_000 + nth),
      name: parseResourceName(`g${nth}`),
      resource:
        on === 'web'
          ? { kind: 'workspace', name: 'web', uid: uidOf(3) }
          : { kind: 'target', name: on, uid: uidOf(104) },
      subject: { kind: 'user', id: 'bob' },
      gives: { kind: 'role', role },
    },
  });
grant(1, 'web', 'admin');
grant(2, 'apac-1', 'viewer');

const as = (name: string): Principal => CALLERS[name] ?? assert.fail(name);

describe('an authorizer on the index', () => {
  const authorizer = authorizerOf(new IndexedDecisions(index), NOT_FOUND);
  const ask = async (
    who: string,
    permission: string,
    params: Record<string, string>,
    reach: 'path' | 'filtered' = 'path',
  ) => {
    try {
      return await authorizer.allow({ principal: as(who), permission, operationId: 'x', params, reach }, signal);
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  for (const { why, asked, want } of [
    { why: 'what is his', asked: ['bob', 'workspaces.update', { workspace: 'web' }], want: true },
    { why: 'what is below it', asked: ['bob', 'targets.update', { target: 'web-1' }], want: true },
    { why: 'what he sees but may not do', asked: ['bob', 'targets.update', { target: 'apac-1' }], want: false },
    { why: 'what he does not see', asked: ['bob', 'workspaces.read', { workspace: 'emea' }], want: 'NO_SUCH' },
    { why: 'what does not exist', asked: ['admin', 'workspaces.read', { workspace: 'nowhere' }], want: 'NO_SUCH' },
    {
      why: 'names that no path can have',
      asked: ['admin', 'workspaces.read', { workspace: '__proto__' }],
      want: 'NO_SUCH',
    },
    {
      why: 'the instance, when the path names nothing',
      asked: ['bob', 'issuers.read', { issuer: 'web' }],
      want: false,
    },
    { why: 'the instance, as its admin', asked: ['admin', 'issuers.read', {}], want: true },
    { why: 'a permission that there is not', asked: ['admin', 'no.such', {}], want: false },
    {
      why: 'a kind of principal that has no rights',
      asked: ['fleetlet', 'workspaces.read', { workspace: 'web' }],
      want: 'NO_SUCH',
    },
    {
      why: 'a token outside of its scope',
      asked: ['adminInWeb', 'workspaces.read', { workspace: 'emea' }],
      want: 'NO_SUCH',
    },
  ] as const) {
    it(`decides on ${why}`, async () => assert.equal(await ask(...(asked as unknown as Parameters<typeof ask>)), want));
  }

  it('leaves to the handler what the handler asks for', async () => {
    assert.equal(await ask('fleetlet', 'workspaces.read', {}, 'filtered'), true);
  });
});

describe('visibility on the index', () => {
  const visibility = visibilityOf(new IndexedDecisions(index));
  for (const { why, who, permission, want } of [
    {
      why: 'subtrees, and targets outside of them',
      who: 'bob',
      permission: 'targets.read',
      want: { kind: 'some', workspaces: ['web'], targets: ['apac-1'] },
    },
    {
      why: 'only where the permission is had',
      who: 'bob',
      permission: 'targets.update',
      want: { kind: 'some', workspaces: ['web'], targets: [] },
    },
    { why: 'everything, for an admin', who: 'admin', permission: 'targets.read', want: { kind: 'everything' } },
    {
      why: 'no more than the scope of a token',
      who: 'adminInWeb',
      permission: 'targets.read',
      want: { kind: 'some', workspaces: ['web'], targets: [] },
    },
    {
      why: 'nothing, for whoever has nothing',
      who: 'alice',
      permission: 'targets.read',
      want: { kind: 'some', workspaces: [], targets: [] },
    },
  ]) {
    it(`is ${why}`, async () => assert.deepEqual(await visibility.of(as(who), permission, signal), want));
  }
});
