import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { AS_ALICE } from '../../../kit/http/testing/test-server.ts';
import { CHANGING } from '../testing/scenarios/changing.ts';
import { READING } from '../testing/scenarios/reading.ts';
import { REGISTERING } from '../testing/scenarios/registering.ts';
import { ALL, given, resource } from '../testing/scenarios/steps.ts';
import { TargetApi } from '../testing/target-api.ts';

const SCENARIOS = { registering: REGISTERING, reading: READING, changing: CHANGING };

eachDatabase('/v1/targets', (fresh) => {
  let database: TestDatabase;
  let api: TargetApi;
  before(async () => {
    database = await fresh();
    api = await TargetApi.open(database);
  });
  after(async () => {
    await api.close();
    await database.dispose();
  });

  const send = (method: 'PATCH' | 'POST' | 'DELETE', url: string, payload?: object) =>
    api.server.inject({ method, url: `${ALL}${url}`, headers: AS_ALICE, ...(payload ? { payload } : {}) });

  for (const [what, scenarios] of Object.entries(SCENARIOS)) {
    describe(what, () => {
      for (const { why, steps } of scenarios) it(why, async () => await api.play(steps));
    });
  }

  it('tells who looks at the workspace that a target left nothing of the one that it is in', async () => {
    await api.play(given('prod-1'));
    await send('POST', '/prod-1:assign', { workspace: 'web' });
    const [removed, assigned] = await api.takeEvents();
    assert.deepEqual(removed?.data, resource({ name: 'prod-1' }));
    assert.deepEqual([removed?.key, assigned?.key], ['targets/prod-1', 'targets/prod-1']);
    assert.partialDeepStrictEqual(assigned?.data, { workspace: 'web' });
  });

  it('announces a change of the placement view with the fields that changed and the whole view', async () => {
    await api.play(given('prod-1'));
    await send('PATCH', '/prod-1', {
      labels: { env: 'prod' },
      advertisedManifestTypes: ['helm'],
      properties: { registry: 'x' },
    });
    const [, placement, properties] = await api.takeEvents();
    assert.deepEqual(placement?.data, {
      fields: ['labels', 'advertisedManifestTypes'],
      paths: ['/labels/env', '/manifestTypes'],
      view: {
        id: '00000000-0000-7000-8000-000000000001',
        name: 'prod-1',
        type: 'kubernetes',
        labels: { env: 'prod' },
        advertisedManifestTypes: ['helm'],
        lifecycle: 'Active',
      },
    });
    assert.partialDeepStrictEqual(properties?.data, { paths: ['/properties/registry'], target: { name: 'prod-1' } });
  });

  it('tells the audit what was there before each change', async () => {
    await api.play(given('prod-1'));
    api.audit.length = 0;
    await send('PATCH', '/prod-1', { labels: { a: 'b' } });
    await send('POST', '/prod-1:assign', { workspace: 'web' });
    await send('POST', '/prod-1:cordon');
    await send('POST', '/prod-1:uncordon');
    await send('DELETE', '/prod-1');
    assert.deepEqual(
      api.audit.map(({ operationId, before }) => [operationId, before !== undefined]),
      ['patchTarget', 'assignTarget', 'cordonTarget', 'uncordonTarget', 'deleteTarget'].map((each) => [each, true]),
    );
  });

  it('asks for a permission of its own on every route', () => {
    const routes = api.server.routes().filter(({ path }) => path.startsWith(ALL));
    assert.deepEqual(
      routes.map(({ method, path, permission }) => `${method} ${path} ${permission}`),
      [
        `POST ${ALL} targets.create`,
        `GET ${ALL}/{target} targets.read`,
        `GET ${ALL} targets.read`,
        `PATCH ${ALL}/{target} targets.update`,
        `POST ${ALL}/{target}:assign targets.assign`,
        `POST ${ALL}/{target}:cordon targets.cordon`,
        `POST ${ALL}/{target}:uncordon targets.cordon`,
        `POST ${ALL}/{target}:merge targets.merge`,
        `POST ${ALL}/{target}:reidentify targets.reidentify`,
        `DELETE ${ALL}/{target} targets.delete`,
      ],
    );
  });
});
