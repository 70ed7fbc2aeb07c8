import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { AS_ALICE } from '../../../../kit/http/testing/test-server.ts';
import { DeploymentApi } from '../../testing/deployment-api.ts';
import { CHANGING } from '../../testing/scenarios/changing.ts';
import { CREATING } from '../../testing/scenarios/creating.ts';
import { DELETING } from '../../testing/scenarios/deleting.ts';
import { READING } from '../../testing/scenarios/reading.ts';
import { failed, STEERING } from '../../testing/scenarios/steering.ts';
import { DRAFT, EMEA, given, resource } from '../../testing/scenarios/steps.ts';

const signal = new AbortController().signal;

const SCENARIOS = { creating: CREATING, changing: CHANGING, deleting: DELETING, steering: STEERING, reading: READING };

eachDatabase('the deployments API', (fresh) => {
  let database: TestDatabase;
  let api: DeploymentApi;
  before(async () => {
    database = await fresh();
    api = await DeploymentApi.open(database);
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

  const send = async (method: string, path: string, payload?: object) =>
    await api.server.inject({ method, url: `${EMEA}${path}`, headers: AS_ALICE, ...(payload ? { payload } : {}) });

  it('tells with every event the deployment as the API shows it, secrets masked, under its own name', async () => {
    await api.play([]);
    await send('POST', '', { ...DRAFT, config: { token: { $secret: 'hunter2' } } });
    const [event, ...others] = await api.takeEvents();
    assert.deepEqual(others, []);
    assert.deepEqual([event?.key, event?.scope], ['workspaces/emea/deployments/web', 'emea']);
    assert.deepEqual(event?.data, resource({ name: 'web', nth: 1, at: 0, config: { token: '[redacted]' } }));
  });

  it('keeps no secret that can be read', async () => {
    await api.play([]);
    await send('POST', '', { ...DRAFT, config: { token: { $secret: 'hunter2' } } });
    const template = 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hunter3}\n';
    const made = await send('POST', '', { ...DRAFT, name: 'text', manifest: { type: 'template', template } });
    assert.equal(made.statusCode, 201, made.body);
    const kept = await Promise.all(
      ['deployments', 'content_secrets', 'outbox'].map((table) =>
        api.storage.all(sql`SELECT * FROM ${sql.raw(table)}`, signal),
      ),
    );
    assert.ok(!/hunter/.test(JSON.stringify(kept)));
    assert.ok(kept.every((rows) => rows.length > 0));
  });

  it('tells the audit what was there before each change', async () => {
    await api.play([...given('web'), failed('edge-1')]);
    api.audit.length = 0;
    await send('PATCH', '/web', { labels: { a: 'b' } });
    for (const verb of ['pause', 'resume']) await send('POST', `/web:${verb}`);
    await send('POST', '/web:retry', {});
    await send('DELETE', '/web');
    await send('POST', '/web:abandon');
    assert.deepEqual(
      api.audit.map(({ operationId, before }) => [operationId, before !== undefined]),
      ['patch', 'pause', 'resume', 'retry', 'delete', 'abandon'].map((each) => [`${each}Deployment`, true]),
    );
  });

  it('asks for the permission that each route is for', () => {
    const item = '/v1/workspaces/{workspace}/deployments/{deployment}';
    const routes = api.server.routes().filter(({ path }) => path.includes('/deployments'));
    assert.deepEqual(
      routes.map(({ method, path, permission }) => `${method} ${path.replace(item, '')} ${permission}`),
      [
        'POST /v1/workspaces/{workspace}/deployments deployments.create',
        'GET  deployments.read',
        'GET /v1/workspaces/{workspace}/deployments deployments.read',
        'GET /v1/deployments deployments.read',
        'PATCH  deployments.update',
        'DELETE  deployments.delete',
        'GET /targets deployments.read',
        ...['pause', 'resume', 'abort', 'replan'].map((verb) => `POST :${verb} deployments.steer`),
        'POST :abandon deployments.abandon',
        ...['rollback', 'retry', 'confirmRemoval'].map((verb) => `POST :${verb} deployments.steer`),
        'POST :acceptRevision deployments.acceptRevision',
      ],
    );
  });
});
