import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../kit/durable/testing/eventually.ts';
import { type ServingPlatform, servingPlatform } from '../channels/testing/serving-platform.ts';

const SHOP = '/v1/workspaces/shop';
const APP = `${SHOP}/deployments/app`;
const GATES = [{ type: 'approval', requireDistinctApprover: true }];
const POLICY = { policy: { requiredGates: GATES } };
const content = (text: string) => ({ type: 'inline', documents: [{ kind: 'Note', text }] });

/**
 * Each is a service account in `staff` with one token; `rootViewer` has a role on the root, but is not an
 * administrator.
 */
const CALLERS = {
  admin: { role: 'admin', on: 'shop' },
  deployer: { role: 'deployer', on: 'shop' },
  approver: { role: 'approver', on: 'shop' },
  viewer: { role: 'viewer', on: 'shop' },
  adminBelow: { role: 'admin', on: 'till' },
  adminBeside: { role: 'admin', on: 'other' },
  rootViewer: { role: 'viewer', on: 'root' },
  rootApprover: { role: 'approver', on: 'root' },
  rootAdmin: { role: 'admin', on: 'root' },
} as const;
type Caller = keyof typeof CALLERS;

interface Approval {
  readonly uid: string;
  readonly revision: number;
  readonly state: string;
  readonly noEligibleApprover?: true;
  readonly needsDistinctApprover: boolean;
}

interface Deployed {
  readonly status?: {
    readonly rollout?: { readonly revision: number; readonly waits: readonly { readonly kind: string }[] };
  };
}

describe('gates that a workspace demands', () => {
  let platform: ServingPlatform;
  const tokens = new Map<string, string>();
  const as = (caller: Caller, method: string, path: string, body?: object) =>
    platform.callAs(tokens.get(caller) ?? '', method, path, body);
  const statusAs = async (caller: Caller, method: string, path: string, body?: object) =>
    (await as(caller, method, path, body)).status;
  /** The target is offline: a rollout that waits for that alone has passed all gates. */
  const hasPassed = async (from: number): Promise<boolean> => {
    const { status } = (await as('viewer', 'GET', APP)).body as Deployed;
    const { revision = 0, waits = [] } = status?.rollout ?? {};
    return revision >= from && waits.some(({ kind }) => kind === 'offline' || kind === 'targets');
  };
  const open = async (from: number): Promise<Approval> => {
    const found = await eventually(`revision ${from} or a later one to wait for an approval`, async () => {
      const { items } = await platform.call<{ items: Approval[] }>('GET', `${SHOP}/approvals`);
      const waiting = items.find(({ state, revision }) => state === 'Open' && revision >= from);
      return waiting ?? ((await hasPassed(from)) ? 'passed' : undefined);
    });
    if (found === 'passed') assert.fail('the rollout went on, and no one was asked');
    return found;
  };

  before(async () => {
    platform = await servingPlatform();
    for (const name of ['staff', 'shop', 'other']) await platform.call('POST', '/v1/workspaces', { name });
    await platform.call('POST', '/v1/workspaces', { name: 'till', parent: 'shop' });
    await platform.call('POST', '/v1/targets', { name: 'prod-1', type: 'directory', workspace: 'shop' });
    const accounts = '/v1/workspaces/staff/service-accounts';
    for (const [caller, { role, on }] of Object.entries(CALLERS)) {
      const name = caller.toLowerCase();
      await platform.call('POST', accounts, { name });
      const subject = { kind: 'serviceAccount', id: `staff/${name}` };
      await platform.call('POST', `/v1/workspaces/${on}/grants`, { subject, role });
      const { token } = await platform.call<{ token: string }>('POST', `${accounts}/${name}/tokens`, {});
      tokens.set(caller, token);
    }
  });
  after(async () => await platform.stop());

  for (const [caller, want] of [
    ['deployer', 403],
    ['approver', 403],
    ['viewer', 403],
    ['rootViewer', 403],
    // They may not see workspaces above their own, or beside it.
    ['adminBelow', 404],
    ['adminBeside', 404],
    ['admin', 200],
    ['rootAdmin', 200],
  ] as const) {
    it(`answers ${caller} with ${want} who sets them`, async () => {
      assert.equal(await statusAs(caller, 'PATCH', SHOP, POLICY), want);
    });
  }

  it('holds a deployment with an immediate rollout, and one whose deployer asks for no gate', async () => {
    const draft = {
      name: 'app',
      manifest: content('one'),
      placement: [{ type: 'all' }],
      rollout: { type: 'immediate' },
    };
    assert.equal(await statusAs('deployer', 'POST', `${SHOP}/deployments`, draft), 201);
    const first = await open(1);
    assert.equal(first.needsDistinctApprover, true);

    assert.equal(await statusAs('deployer', 'PATCH', SHOP, { policy: null }), 403);
    assert.equal(await statusAs('adminBelow', 'PATCH', '/v1/workspaces/till', { policy: { requiredGates: [] } }), 200);
    const change = { manifest: content('two'), rollout: { type: 'immediate' } };
    assert.equal(await statusAs('deployer', 'PATCH', APP, change), 200);
    const second = await open(first.revision + 1);
    for (const verb of ['replan', 'resume', 'retry']) await as('deployer', 'POST', `${APP}:${verb}`, {});
    assert.equal((await open(second.revision)).revision, second.revision);
  });

  it('says that no one is eligible, and takes no answer of a service account', async () => {
    const { uid, noEligibleApprover } = await open(1);
    assert.equal(noEligibleApprover, true);
    const { status, body } = await as('approver', 'POST', `${SHOP}/approvals/${uid}:approve`, {});
    assert.deepEqual([status, body['code']], [403, 'approverNotDistinct']);
    assert.equal(await statusAs('deployer', 'POST', `${APP}:approve`, {}), 403);
    const grant = { subject: { kind: 'user', id: 'carol' }, role: 'approver' };
    const { name } = await platform.call<{ name: string }>('POST', `${SHOP}/grants`, grant);
    assert.equal((await open(1)).noEligibleApprover, undefined, 'carol is');
    await platform.call('DELETE', `${SHOP}/grants/${name}`);
  });

  for (const caller of ['admin', 'deployer', 'approver', 'rootApprover', 'rootViewer'] as const) {
    it(`refuses an override by ${caller}`, async () => {
      const { uid } = await open(1);
      for (const path of [`${SHOP}/approvals/${uid}:approve`, `${APP}:approve`]) {
        const { status, body } = await as(caller, 'POST', path, { override: true });
        assert.deepEqual([status, body['code']], [403, 'permissionDenied']);
      }
      assert.equal((await open(1)).uid, uid);
    });
  }

  it('is passed by an administrator of the instance who overrides, and the audit says so', async () => {
    const { uid, revision } = await open(1);
    const path = `${SHOP}/approvals/${uid}`;
    assert.equal(await statusAs('rootAdmin', 'POST', `${path}:approve`, {}), 403, 'not without saying so');
    assert.equal(await statusAs('rootAdmin', 'POST', `${path}:reject`, { message: 'no', override: true }), 400);
    const { status, body } = await as('rootAdmin', 'POST', `${path}:approve`, { override: true, message: 'on call' });
    assert.equal(status, 200);
    const answer = { by: 'serviceAccount:staff/rootadmin', override: true, message: 'on call' };
    assert.partialDeepStrictEqual(body, { state: 'Approved', answer });
    const written = await eventually('the override to be in the audit', async () => {
      const filter = encodeURIComponent('operation == "overrideApproval" && outcome == "done"');
      const { items } = await platform.call<{ items: object[] }>('GET', `/v1/audit?filter=${filter}`);
      return items.length > 0 ? items : undefined;
    });
    assert.equal(written.length, 1, 'nothing else was an override');
    const principal = { kind: 'serviceAccount', id: 'staff/rootadmin' };
    assert.partialDeepStrictEqual(written[0], { principal, workspace: 'shop', resource: `${path}:approve` });
    await eventually('the rollout to go on', () => hasPassed(revision));
  });
});
