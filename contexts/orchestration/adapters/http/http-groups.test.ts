import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachDatabase } from '#testing/databases';
import { newGroup } from '../../domain/group/group-state.ts';
import { HistoryApi, NOW } from '../../testing/history-api.ts';

const CHILD = { name: 'db', placement: [{ type: 'all' }], manifest: { type: 'inline', documents: [{ kind: 'Note' }] } };
const GROUP = { type: 'deploymentGroup', deployments: [CHILD] } as const;
const PATH = '/v1/workspaces/emea/deployments';
const signal = new AbortController().signal;

eachDatabase('how a group stands', (fresh) => {
  it('is told with what it waits for, once it has come to the platform', async (t) => {
    const database = await fresh();
    const api = await HistoryApi.open(database);
    t.after(async () => {
      await api.close();
      await database.dispose();
    });
    await api.create({ name: 'plain', manifest: CHILD.manifest, placement: [{ type: 'all' }] });
    const { uid: group } = await api.create({ name: 'shop', manifest: GROUP });
    for (const name of ['plain', 'shop']) {
      const { status, body } = await api.send(`GET ${PATH}/${name}/group`);
      assert.deepEqual([status, body['code']], [404, 'notAGroup'], name);
    }
    const spec = { ...GROUP, deployments: [{ ...CHILD, name: 'shop-db' }] };
    const record = { group, revision: 1, hash: 'sha256:1', spec, state: newGroup(NOW) };
    await api.unit((unit) => unit.groups.put(record, signal));
    const { status, body } = await api.send(`GET ${PATH}/shop/group`);
    assert.equal(status, 200);
    assert.deepEqual([body['phase'], body['since']], ['Deploying', new Date(NOW).toISOString()]);
    const [wait] = body['waits'] as readonly { child: string; unblock: string }[];
    assert.equal(wait?.child, 'shop-db');
    assert.ok(wait.unblock.length > 0);
  });
});
