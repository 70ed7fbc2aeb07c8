import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { contentHash } from '#kit/std';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { AS_ALICE } from '../../../kit/http/testing/test-server.ts';
import { CHANGING } from '../testing/scenarios/changing.ts';
import { CREATING } from '../testing/scenarios/creating.ts';
import { DELETING } from '../testing/scenarios/deleting.ts';
import { MOVING } from '../testing/scenarios/moving.ts';
import { POLICIES } from '../testing/scenarios/policies.ts';
import { READING } from '../testing/scenarios/reading.ts';
import { ALL, given, resource } from '../testing/scenarios/steps.ts';
import { timeOf, WorkspaceApi } from '../testing/workspace-api.ts';

const SCENARIOS = {
  creating: CREATING,
  reading: READING,
  changing: CHANGING,
  policies: POLICIES,
  moving: MOVING,
  deleting: DELETING,
};

eachDatabase('/v1/workspaces', (fresh) => {
  let database: TestDatabase;
  let api: WorkspaceApi;
  before(async () => {
    database = await fresh();
    api = await WorkspaceApi.open(database);
  });
  after(async () => {
    await api.close();
    await database.dispose();
  });

  for (const [what, scenarios] of Object.entries(SCENARIOS)) {
    describe(what, () => {
      for (const { why, steps } of scenarios) it(why, async () => await api.play(steps));
    });
  }

  it('announces each change with the workspace as it is then, and at the end as it was last', async () => {
    await api.play(given('web'));
    const web = { url: `${ALL}/web`, headers: AS_ALICE };
    await api.server.inject({ ...web, method: 'PATCH', payload: { displayName: 'Web' } });
    await api.server.inject({ ...web, method: 'DELETE' });
    const data = resource({ name: 'web', displayName: 'Web', version: 2 });
    const event = { key: 'workspaces/web', scope: 'web', time: Date.parse(timeOf(1)), data };
    assert.deepEqual(await api.takeEvents(), [
      { ...event, type: 'workspace.updated' },
      { ...event, type: 'workspace.deleted' },
    ]);
  });

  it('announces a move with the parent that was left', async () => {
    await api.play(given('web', 'emea'));
    const call = { method: 'POST', url: `${ALL}/web:move`, headers: AS_ALICE, payload: { parent: 'emea' } } as const;
    await api.server.inject(call);
    const data = { ...resource({ name: 'web', parent: 'emea', step: 2, version: 2 }), from: 'root' };
    const [event] = await api.takeEvents();
    assert.deepEqual([event?.type, event?.scope, event?.data], ['workspace.moved', 'web', data]);
  });

  it('tells the audit what was there before each change', async () => {
    await api.play(given('web', 'emea'));
    api.audit.length = 0;
    const send = (method: 'PATCH' | 'POST' | 'DELETE', url: string, payload?: object) =>
      api.server.inject({ method, url: `${ALL}${url}`, headers: AS_ALICE, ...(payload ? { payload } : {}) });
    await send('PATCH', '/web', { displayName: 'Web' });
    await send('POST', '/web:move', { parent: 'emea' });
    await send('DELETE', '/web');
    const first = contentHash(resource({ name: 'web' }));
    assert.deepEqual(
      api.audit.map(({ operationId, before }) => [operationId, before === first, before !== undefined]),
      [
        ['patchWorkspace', true, true],
        ['moveWorkspace', false, true],
        ['deleteWorkspace', false, true],
      ],
    );
  });

  it('asks for a permission of its own on every route', () => {
    const routes = api.server.routes().filter(({ path }) => path.startsWith(ALL));
    assert.deepEqual(
      routes.map(({ method, path, permission }) => `${method} ${path} ${permission}`),
      [
        `POST ${ALL} workspaces.create`,
        `GET ${ALL}/{workspace} workspaces.read`,
        `GET ${ALL} workspaces.read`,
        `PATCH ${ALL}/{workspace} workspaces.update`,
        `POST ${ALL}/{workspace}:move workspaces.move`,
        `DELETE ${ALL}/{workspace} workspaces.delete`,
      ],
    );
  });
});
