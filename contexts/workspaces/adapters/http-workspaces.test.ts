import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { AS_ALICE } from '../../../kit/http/testing/test-server.ts';
import { CHANGING } from '../testing/scenarios/changing.ts';
import { CREATING } from '../testing/scenarios/creating.ts';
import { DELETING } from '../testing/scenarios/deleting.ts';
import { READING } from '../testing/scenarios/reading.ts';
import { ALL, given, resource } from '../testing/scenarios/steps.ts';
import { timeOf, WorkspaceApi } from '../testing/workspace-api.ts';

const SCENARIOS = { creating: CREATING, reading: READING, changing: CHANGING, deleting: DELETING };

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

  it('asks for a permission of its own on every route', () => {
    const routes = api.server.routes().filter(({ path }) => path.startsWith(ALL));
    assert.deepEqual(
      routes.map(({ method, path, permission }) => `${method} ${path} ${permission}`),
      [
        `POST ${ALL} workspaces.create`,
        `GET ${ALL}/{workspace} workspaces.read`,
        `GET ${ALL} workspaces.read`,
        `PATCH ${ALL}/{workspace} workspaces.update`,
        `DELETE ${ALL}/{workspace} workspaces.delete`,
      ],
    );
  });
});
