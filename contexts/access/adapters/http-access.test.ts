import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { FILE_MS } from '#testing/patience';
import { AccessIndex } from '../domain/access-index.ts';
import { askerOf } from '../domain/asker.ts';
import { PERMISSIONS } from '../domain/permission.ts';
import { AccessApi, CALLERS, plantTree, uidOf } from '../testing/access-api.ts';
import { ASKING } from '../testing/scenarios/asking.ts';
import { DEFINING } from '../testing/scenarios/defining.ts';
import { GRANTING } from '../testing/scenarios/granting.ts';
import { defined, given, granting } from '../testing/scenarios/steps.ts';
import { accessChangeOf } from './access-change-of.ts';
import { loadAccessIndex } from './load-access-index.ts';

const SCENARIOS = { granting: GRANTING, defining: DEFINING, asking: ASKING };
const signal = AbortSignal.timeout(FILE_MS);
const ALICE = askerOf(CALLERS['alice'] ?? assert.fail());
const BOB = askerOf(CALLERS['bob'] ?? assert.fail());

eachDatabase('access', (fresh) => {
  let database: TestDatabase;
  let api: AccessApi;
  before(async () => {
    database = await fresh();
    api = await AccessApi.open(database);
  });
  after(async () => {
    await api.close();
    await database.dispose();
  });

  for (const [what, scenarios] of Object.entries(SCENARIOS)) {
    describe(what, () => {
      for (const { why, ...scenario } of scenarios) it(why, async () => await api.play(scenario));
    });
  }

  it('asks for a permission that there is on every route', async () => {
    await api.play({ steps: [] });
    const own = api.server.routes().filter(({ path }) => path.startsWith('/v1/'));
    assert.equal(own.length, 17);
    for (const { path, permission } of own) assert.ok(permission in PERMISSIONS, `${path} ${permission}`);
  });

  it('is loaded from the database as it was, and follows the log from there', async () => {
    await api.play({ steps: [defined('metrics-query'), ...given('group:ops viewer workspaces/emea')] });
    const loaded = new AccessIndex();
    plantTree(loaded);
    await loadAccessIndex({ storage: api.storage, index: loaded }, signal);
    const seen = { permission: 'workspaces.read', resource: { kind: 'workspace', name: 'web' } } as const;
    assert.equal(loaded.allows(ALICE, seen), true);
    assert.ok(loaded.knowsPermission('metrics-query'));
  });

  it('says in its events all that an index of another process needs', async () => {
    await api.play({ steps: [] });
    const other = new AccessIndex();
    plantTree(other);
    const follow = async () => {
      for (const event of await api.takeEvents()) other.apply(accessChangeOf(event) ?? assert.fail(event.type));
    };
    const send = (method: string, url: string, payload?: object) =>
      api.server.inject({ method, url, headers: { authorization: 'Bearer admin' }, ...(payload ? { payload } : {}) });
    const [definition, grant] = [defined('metrics-query'), granting({ on: 'targets/web-1', to: 'user:bob', body: {} })];
    await send('PUT', '/v1/permission-schemas/metrics-query', definition.body as object);
    const gift = { permission: 'metrics-query', attributes: { tenant: 'b' }, name: 'bob' };
    await send('POST', '/v1/targets/web-1/grants', { ...(grant.body as object), ...gift });
    await follow();
    const question = { permission: 'metrics-query', resource: { kind: 'target', name: 'web-1' } } as const;
    assert.deepEqual(other.attributesOn(BOB, question), [{ tenant: 'b' }]);
    await send('DELETE', '/v1/targets/web-1/grants/bob');
    await send('DELETE', '/v1/permission-schemas/metrics-query');
    await follow();
    assert.deepEqual(other.attributesOn(BOB, question), []);
    assert.equal(other.knowsPermission('metrics-query'), false);
    assert.equal(accessChangeOf({ type: 'workspace.created', data: {} }), undefined);
  });

  it('drops what was granted on a thing, or to a subject, with it', async () => {
    await api.play({ steps: given('user:bob admin workspaces/web', 'user:bob viewer workspaces/apac') });
    const now = Date.UTC(2031, 0, 1);
    const onWeb = await api.storage.write(
      (tx) => api.dropper.dropGrantsOf(tx, { uid: uidOf(3), workspace: 'web', now }, signal),
      signal,
    );
    assert.deepEqual(
      onWeb.map(({ name }) => name),
      ['admin-bob'],
    );
    const toBob = await api.storage.write(
      (tx) => api.dropper.dropGrantsTo(tx, { subject: { kind: 'user', id: 'bob' }, now }, signal),
      signal,
    );
    assert.deepEqual(
      toBob.map(({ name }) => name),
      ['viewer-bob'],
    );
    const events = await api.takeEvents();
    assert.deepEqual(
      events.map(({ type, key, scope }) => `${type} ${key} ${scope}`),
      [`grant.deleted grants/${uidOf(1_001)} web`, `grant.deleted grants/${uidOf(1_003)} apac`],
    );
    const question = { permission: 'workspaces.read', resource: { kind: 'workspace', name: 'apac' } } as const;
    assert.equal(api.index.allows(BOB, question), true, 'nobody said yet that it was committed');
    api.dropper.forget(toBob);
    assert.equal(api.index.allows(BOB, question), false);
  });

  it('does not give what was granted on an old thing to a new one of its name', async () => {
    await api.play({ steps: given('user:bob viewer workspaces/web') });
    const question = { permission: 'workspaces.read', resource: { kind: 'workspace', name: 'web' } } as const;
    assert.equal(api.index.allows(BOB, question), true);
    api.index.apply({ kind: 'workspaceDeleted', uid: uidOf(3) });
    api.index.apply({ kind: 'workspace', name: 'web', uid: uidOf(500), generation: 1, parent: 'emea' });
    assert.equal(api.index.allows(BOB, question), false);
  });
});
