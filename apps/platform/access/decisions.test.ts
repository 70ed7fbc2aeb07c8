import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccessIndex } from '#contexts/access';
import { IndexedDecisions } from '#contexts/access/adapters';
import type { StoredEvent } from '#kit/storage/outbox';
import { platformAccess } from '../channels/platform-access.ts';
import { accessServer } from '../testing/access-server.ts';

const signal = new AbortController().signal;
const ADMIN = { kind: 'admin', id: 'admin' } as const;
const NOWHERE = { kind: 'some', workspaces: [], targets: [] } as const;

/** Decides like the index until it is told to deny everything, which the index would allow. */
class Switch extends IndexedDecisions {
  denies = false;

  override async allows(...asked: Parameters<IndexedDecisions['allows']>) {
    return !this.denies && (await super.allows(...asked));
  }

  override async visible(...asked: Parameters<IndexedDecisions['visible']>) {
    return this.denies ? NOWHERE : await super.visible(...asked);
  }

  override async lookupSubjects(...asked: Parameters<IndexedDecisions['lookupSubjects']>) {
    return this.denies ? [] : await super.lookupSubjects(...asked);
  }
}

test('routes, lists, event filters, fleetlets and approvals ask one port, and nothing beside it', async (t) => {
  const made: Switch[] = [];
  const decisionsFrom = (index: AccessIndex): Switch => {
    const decisions = new Switch(index);
    made.push(decisions);
    return decisions;
  };
  const { access, ask } = await accessServer(t, { decisionsFrom });
  await ask('POST /v1/workspaces', 201, { name: 'web' });
  const ann = { kind: 'user', id: 'ann' };
  await ask('POST /v1/workspaces/web/grants', 201, { subject: ann, role: 'approver' });
  const event: StoredEvent = {
    id: 'e',
    position: 1,
    type: 'workspace.updated',
    key: 'workspaces/web',
    scope: 'web',
    time: Date.now(),
    data: { uid: access.index.lineageOf({ kind: 'workspace', name: 'web' })[0]?.uid },
  };
  const authenticator = { authenticate: async () => ADMIN };
  const fleetlet = platformAccess({ authenticator, decisions: access.decisions, index: access.index });
  const question = { kind: 'permissions', token: 't', permission: 'workspaces.read' } as const;
  const seen = async () => ({
    listed: (await ask('GET /v1/workspaces?filter=name=="web"', 200)).body.items.length as number,
    told: await access.mayReadEvent(ADMIN, event, signal),
    audit: (await access.visibility.of(ADMIN, 'audit.read', signal)).kind,
    facts: (await fleetlet.resolve(question, signal)).facts,
    approver: await access.approvers.hasPersonBesides('web' as never, [], signal),
  });
  assert.deepEqual(await seen(), {
    listed: 1,
    told: true,
    audit: 'everything',
    facts: { kind: 'permissions', workspaces: ['/root/'] },
    approver: true,
  });
  for (const decisions of made) decisions.denies = true;
  await ask('GET /v1/workspaces/web', 404);
  await ask('GET /v1/issuers', 403);
  assert.deepEqual(await seen(), {
    listed: 0,
    told: false,
    audit: 'some',
    facts: { kind: 'permissions', workspaces: [] },
    approver: false,
  });
});
