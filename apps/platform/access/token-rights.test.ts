import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { accessServer } from '../testing/access-server.ts';

const TOKENS = '/v1/workspaces/web/service-accounts/ci/tokens';
const CI = { kind: 'serviceAccount', id: 'web/ci' } as const;

/** An admin of the workspace `web`, whose service account `ci` is a deployer there. */
async function webWithItsAdmin(t: TestContext) {
  const { ask, refusals } = await accessServer(t);
  for (const name of ['staff', 'web', 'shop', 'bank']) await ask('POST /v1/workspaces', 201, { name });
  const tokenOf = async (workspace: string, name: string): Promise<string> => {
    await ask(`POST /v1/workspaces/${workspace}/service-accounts`, 201, { name });
    return String((await ask(`POST /v1/workspaces/${workspace}/service-accounts/${name}/tokens`, 201, {})).body.token);
  };
  const admin = await tokenOf('staff', 'ann');
  const grant = async (subject: object, role: string, workspace: string) =>
    await ask(`POST /v1/workspaces/${workspace}/grants`, 201, { subject, role });
  await grant({ kind: 'serviceAccount', id: 'staff/ann' }, 'admin', 'web');
  const own = await tokenOf('web', 'ci');
  await grant(CI, 'deployer', 'web');
  return { ask, refusals, admin, own, grant };
}

describe('tokens that the admin of a workspace makes for its service account', () => {
  it('do what the account may do in the workspace', async (t) => {
    const { ask, admin } = await webWithItsAdmin(t);
    const { body } = await ask(`POST ${TOKENS}`, 201, {}, admin);
    await ask('GET /v1/workspaces/web', 200, undefined, String(body.token));
  });

  it('are refused where the account may do more than their maker, who is told what is lacking', async (t) => {
    const { ask, admin, grant, refusals } = await webWithItsAdmin(t);
    await grant({ kind: 'serviceAccount', id: 'staff/ann' }, 'viewer', 'shop');
    await grant(CI, 'admin', 'shop');
    const refused = await ask(`POST ${TOKENS}`, 403, {}, admin);
    assert.equal(refused.body.code, 'tokenExceedsRights');
    assert.match(refused.body.detail, /you lack admin on workspaces\/shop\. Narrow its scope, .* tokens\.createAny/);
    assert.deepEqual(
      refusals.map(({ operationId, outcome }) => [operationId, outcome]),
      [['createServiceAccountToken', 'denied']],
    );
    await ask(`POST ${TOKENS}`, 201, { scope: { within: 'workspaces/web' } }, admin);
    await ask(`POST ${TOKENS}`, 201, { scope: { roles: ['viewer'] } }, admin);
  });

  it('are refused without the names of what their maker may not see', async (t) => {
    const { ask, admin, grant } = await webWithItsAdmin(t);
    await grant(CI, 'viewer', 'bank');
    const { body } = await ask(`POST ${TOKENS}?dryRun=true`, 403, {}, admin);
    assert.match(body.detail, /you lack rights on resources that you may not see/);
    assert.ok(!JSON.stringify(body).includes('bank'), body.detail);
  });

  it('are refused at a rotation too, and the old token stays as it is', async (t) => {
    const { ask, admin, own, grant } = await webWithItsAdmin(t);
    await grant(CI, 'viewer', 'bank');
    const refused = await ask(`POST ${TOKENS}/${own.split('_')[1]}:rotate`, 403, {}, admin);
    assert.equal(refused.body.code, 'tokenExceedsRights');
    await ask('GET /v1/workspaces/bank', 200, undefined, own);
  });

  it('are made by callers with tokens.createAny, whatever the account may do', async (t) => {
    const { ask, grant } = await webWithItsAdmin(t);
    await ask('PUT /v1/permission-schemas/metrics', 201, {
      resourceType: 'target',
      attributesSchema: { type: 'object' },
      roles: [],
    });
    const named = { subject: CI, permission: 'metrics', attributes: { all: true } };
    await ask('POST /v1/workspaces/shop/grants', 201, named);
    const root = await ask('POST /v1/workspaces/staff/service-accounts', 201, { name: 'root' });
    await grant({ kind: 'serviceAccount', id: `staff/${root.body.name}` }, 'admin', 'root');
    const { body } = await ask('POST /v1/workspaces/staff/service-accounts/root/tokens', 201, {});
    await ask(`POST ${TOKENS}`, 201, {}, String(body.token));
  });

  it('are bounded by the scope of the token that makes them', async (t) => {
    const { ask, grant } = await webWithItsAdmin(t);
    await ask('POST /v1/workspaces/staff/service-accounts', 201, { name: 'narrow' });
    await grant({ kind: 'serviceAccount', id: 'staff/narrow' }, 'admin', 'root');
    const narrowed = { scope: { within: 'workspaces/web' } };
    const { body } = await ask('POST /v1/workspaces/staff/service-accounts/narrow/tokens', 201, narrowed);
    await grant(CI, 'admin', 'shop');
    const made = await ask(`POST ${TOKENS}`, 201, {}, String(body.token));
    assert.deepEqual(made.body.scope, narrowed.scope);
    await ask('GET /v1/workspaces/shop', 404, undefined, String(made.body.token));
  });
});
