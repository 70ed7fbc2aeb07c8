import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import type { Trigger } from '../../domain/deployment/trigger.ts';
import { HistoryApi, NOW } from '../../testing/history-api.ts';

const SCORES = '/v1/targets/till/scores';
const MANIFEST = { type: 'inline', documents: [{ kind: 'Note' }] };
const scored = (score: string) => ({ type: 'scored', top: 1, weights: [{ type: 'reported', score, weight: 1 }] });

eachDatabase('scores', (fresh) => {
  let database: TestDatabase;
  let api: HistoryApi;
  before(async () => {
    database = await fresh();
    api = await HistoryApi.open(database);
  });
  after(async () => {
    await api.close();
    await database.dispose();
  });
  beforeEach(async () => await api.clear());

  const told = async (): Promise<readonly [string, string][]> => {
    const rows = (await api.rowsOf('deployment_triggers')) as { deployment: string; body: string }[];
    return rows.map(({ deployment, body }) => [deployment, (JSON.parse(body) as Trigger).kind]);
  };

  it('are kept, the last of each name', async () => {
    assert.equal((await api.send(`PUT ${SCORES}/cost`, { value: 40 })).status, 200);
    const { status, body } = await api.send(`PUT ${SCORES}/cost`, { value: -12.5 });
    const cost = { name: 'cost', value: -12.5, time: new Date(NOW).toISOString() };
    assert.deepEqual([status, body], [200, cost]);
    await api.send(`PUT ${SCORES}/latency`, { value: 100 });
    const listed = await api.send(`GET ${SCORES}`);
    assert.deepEqual(listed.body['items'], [cost, { ...cost, name: 'latency', value: 100 }]);
    const good = await api.send(`GET ${SCORES}?filter=${encodeURIComponent('value > 0.0')}`);
    assert.deepEqual(
      (good.body['items'] as { name: string }[]).map(({ name }) => name),
      ['latency'],
    );
  });

  it('are from -100 to 100, and of a target that is there', async () => {
    assert.equal((await api.send(`PUT ${SCORES}/cost`, { value: 101 })).status, 400);
    assert.equal((await api.send(`PUT ${SCORES}/Cost`, { value: 1 })).status, 400);
    const nobody = await api.send('PUT /v1/targets/nobody/scores/cost', { value: 1 });
    assert.deepEqual([nobody.status, nobody.body['code']], [404, 'targetNotFound']);
    assert.equal((await api.send('GET /v1/targets/nobody/scores')).status, 404);
  });

  it('are told to those above the target that place by them, and to nobody twice', async () => {
    const create = async (name: string, placement: object[], workspace: string) =>
      (await api.create({ name, manifest: MANIFEST, placement }, workspace)).uid;
    const here = await create('here', [scored('cost')], 'shop');
    const above = await create('above', [{ type: 'all' }, scored('cost')], 'emea');
    await create('other-score', [scored('latency')], 'emea');
    await create('unscored', [{ type: 'all' }], 'emea');
    await create('elsewhere', [scored('cost')], 'apac');
    await api.clear('deployment_triggers');
    for (const value of [1, 2, 3]) await api.send(`PUT ${SCORES}/cost`, { value });
    assert.deepEqual(await told(), [
      [here, 'scores'],
      [above, 'scores'],
    ]);
  });

  it('leave nothing behind of a dry run', async () => {
    await api.create({ name: 'web', manifest: MANIFEST, placement: [scored('cost')] });
    await api.clear('deployment_triggers');
    await api.send(`PUT ${SCORES}/cost?dryRun=true`, { value: 1 });
    assert.deepEqual([await told(), await api.rowsOf('target_scores')], [[], []]);
  });
});
