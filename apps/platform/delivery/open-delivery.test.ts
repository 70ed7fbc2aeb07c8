import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Type } from 'typebox';
import type { Observer } from '#contexts/orchestration';
import { TARGET_MIGRATIONS, targetPool, targetRoutes } from '#contexts/targets/adapters';
import { WORKSPACE_MIGRATIONS, workspacePlaces, workspaceRoutes } from '#contexts/workspaces/adapters';
import { created, defineRoute, httpMigrations, mutate } from '#kit/http';
import { runAll } from '#kit/reconcile';
import { parseResourceName, Secret } from '#kit/std';
import { createEventLog, OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import { DeploymentsParamsSchema } from '#protocol/api';
import { freshDatabase } from '#testing/databases';
import { anOrder } from '../../../contexts/delivery/testing/an-order.ts';
import { RecordingReports } from '../../../contexts/delivery/testing/recording-reports.ts';
import { memoryLogger } from '../../../contexts/governance/testing/governance-api.ts';
import { testServer } from '../../../kit/http/testing/test-server.ts';
import { FakeLeadership } from '../testing/fake-leadership.ts';
import { administratorApi, type PlatformApi } from './administrator-api.ts';
import { openDelivery } from './open-delivery.ts';
import { seedDemo } from './seed-demo.ts';

const MODULES = [OUTBOX_MIGRATIONS, httpMigrations, WORKSPACE_MIGRATIONS, TARGET_MIGRATIONS];

const NewDeployment = Type.Object({ name: Type.String() }, { additionalProperties: true });

/** Real workspaces and targets; of deployments only the create. */
async function aPlatform(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-demo-'));
  const database = await freshDatabase('sqlite');
  t.after(async () => {
    await database.dispose();
    rmSync(folder, { recursive: true });
  });
  const storage = await database.open(MODULES);
  const visibility = { of: async () => ({ kind: 'everything' }) as const };
  const deployments: string[] = [];
  const addonTypes = { has: async (type: string) => type === 'simulated' };
  const { server } = await testServer([
    ...workspaceRoutes({ storage, visibility, contents: [], moveObservers: [], deleteObservers: [] }),
    ...targetRoutes({ storage, visibility, workspaces: workspacePlaces, addonTypes }),
    defineRoute({
      method: 'POST',
      path: '/v1/workspaces/{workspace}/deployments',
      operationId: 'createDeployment',
      summary: 'Create a deployment',
      tags: [],
      permission: 'deployments.create',
      reach: 'filtered',
      schema: { params: DeploymentsParamsSchema, body: NewDeployment, responses: { 201: Type.Object({}) } },
      handler: (request) =>
        mutate(request, storage, async () => {
          deployments.push(`${request.params.workspace}/${request.body.name}`);
          return created({}, '/v1/deployments');
        }),
    }),
  ]);
  t.after(() => server.close(1_000));
  return { folder, storage, server, deployments, api: administratorApi(() => server, { token: new Secret('alice') }) };
}

const FIRST = { instance: 'i', incarnation: 'i', earlier: [], restoredAt: undefined, accepted: undefined };
const hold = { incarnation: FIRST };

type Platform = Awaited<ReturnType<typeof aPlatform>>;

/** A process with the demo, until the test or the caller ends it. */
async function start(
  t: TestContext,
  { storage, folder, api }: Platform,
  its: { api?: PlatformApi; size?: number } = {},
) {
  const [taken, lines] = [new RecordingReports(), [] as string[]];
  const delivery = await openDelivery(
    {
      storage,
      events: createEventLog(storage),
      log: memoryLogger(lines),
      dataFolder: folder,
      demoFleet: its.size ?? 3,
      api: its.api ?? api,
      observer: observerOf(taken, lines),
      leadership: new FakeLeadership(true, storage),
      hold,
    },
    t.signal,
  );
  const over = new AbortController();
  const run = runAll(delivery.runnables, over.signal);
  const stop = async (): Promise<void> => {
    over.abort();
    await run;
  };
  t.after(stop);
  return { delivery, taken, lines, stop };
}

function poolOf({ storage }: Platform, t: TestContext) {
  return storage.read((reader) => targetPool(reader).below('/root/', t.signal), t.signal);
}

test('an empty instance gets a workspace, connected targets and a deployment', async (t) => {
  const platform = await aPlatform(t);
  const seeded = Promise.withResolvers<unknown>();
  const api: PlatformApi = async (call, signal) => {
    const answer = await platform.api(call, signal);
    if (call.method === 'PATCH') seeded.resolve(answer.body);
    return answer;
  };
  const { taken, lines } = await start(t, platform, { api });
  await taken.untilThereAre(3, 'inventory', t.signal);
  const pool = await poolOf(platform, t);
  assert.deepEqual(
    pool.map(({ name, type, isOnline, labels }) => ({ name, type, isOnline, env: labels['env'] })),
    [
      { name: 'demo-1', type: 'simulated', isOnline: true, env: 'dev' },
      { name: 'demo-2', type: 'simulated', isOnline: true, env: 'staging' },
      { name: 'demo-3', type: 'simulated', isOnline: true, env: 'prod' },
    ],
  );
  assert.deepEqual(
    lines.filter((line) => line.startsWith('online')).sort((a, b) => a.localeCompare(b)),
    pool.map(({ id }) => `online ${id}`).sort((a, b) => a.localeCompare(b)),
  );
  assert.partialDeepStrictEqual(await seeded.promise, { name: 'demo', labels: { demo: 'seeded' } });
  assert.deepEqual(platform.deployments, ['demo/hello']);
});

for (const { why, path, body } of [
  { why: 'a workspace', path: '/v1/workspaces', body: { name: 'ours' } },
  { why: 'a workspace that is called demo', path: '/v1/workspaces', body: { name: 'demo' } },
  { why: 'a target', path: '/v1/targets', body: { name: 'ours', type: 'directory', workspace: 'root' } },
]) {
  test(`an instance with ${why} in it is left alone`, async (t) => {
    const platform = await aPlatform(t);
    assert.equal((await platform.api({ method: 'POST', path, body }, t.signal)).status, 201);
    assert.deepEqual(await seedDemo(platform.api, 3, t.signal), { kind: 'notEmpty' });
    assert.deepEqual(platform.deployments, []);
  });
}

test('whoever may not look makes nothing, and a refusal is told', async (t) => {
  const platform = await aPlatform(t);
  const refusing =
    (method: string): PlatformApi =>
    async (call, signal) =>
      call.method === method ? { status: 403, body: { code: 'forbidden' } } : await platform.api(call, signal);
  assert.deepEqual(await seedDemo(refusing('GET'), 3, t.signal), { kind: 'notEmpty' });
  const refused = { kind: 'refused', path: '/v1/workspaces', status: 403, code: 'forbidden' };
  assert.deepEqual(await seedDemo(refusing('POST'), 3, t.signal), refused);
});

test('a start that was cut off is gone on with by the next, and nothing is made twice', async (t) => {
  const platform = await aPlatform(t);
  let left = 4;
  const cut: PlatformApi = async (call, signal) => {
    if (call.method === 'POST' && (left -= 1) < 1) return { status: 503, body: { code: 'OVERLOADED' } };
    return await platform.api(call, signal);
  };
  const first = await start(t, platform, { api: cut, size: 5 });
  await first.taken.untilThereAre(2, 'inventory', t.signal);
  await first.stop();
  assert.equal((await poolOf(platform, t)).length, 2);

  const second = await start(t, platform, { size: 5 });
  await second.taken.untilThereAre(5, 'inventory', t.signal);
  assert.equal((await poolOf(platform, t)).length, 5);
});

test('a target that is registered by hand is simulated too, until it is deleted', async (t) => {
  const platform = await aPlatform(t);
  const { delivery, taken } = await start(t, platform, { size: 1 });
  await taken.untilThereAre(1, 'inventory', t.signal);
  const body = { name: 'mine', type: 'simulated', workspace: 'root' };
  await platform.api({ method: 'POST', path: '/v1/targets', body }, t.signal);
  await taken.untilThereAre(2, 'inventory', t.signal);
  const mine = (await poolOf(platform, t)).find(({ name }) => name === 'mine');
  assert.ok(mine);
  assert.equal(mine.isOnline, true);
  const target = { ...anOrder().target, id: mine.id as ReturnType<typeof anOrder>['target']['id'], name: 'mine' };
  assert.deepEqual(await delivery.router.dispatch(anOrder({ target }), t.signal), { kind: 'accepted' });

  await platform.server.inject({
    method: 'DELETE',
    url: '/v1/targets/mine',
    headers: { authorization: 'Bearer alice' },
  });
  for (;;) {
    const { kind } = await delivery.router.dispatch(anOrder({ target, revision: 2 }), t.signal);
    if (kind === 'offline') break;
  }
});

test('after a restart the fleet has what it had', async (t) => {
  const platform = await aPlatform(t);
  const first = await start(t, platform, { size: 1 });
  const inventory = await first.taken.until(({ kind }) => kind === 'inventory', t.signal);
  assert.ok(inventory.kind === 'inventory');
  const order = anOrder({ target: { id: inventory.target, name: 'demo-1', type: 'simulated' }, revision: 7 });
  assert.deepEqual(await first.delivery.router.dispatch(order, t.signal), { kind: 'accepted' });
  await first.stop();

  const second = await start(t, platform, { size: 1 });
  const again = await second.taken.until(({ kind }) => kind === 'inventory', t.signal);
  assert.ok(again.kind === 'inventory');
  assert.equal(again.instance, inventory.instance);
  assert.deepEqual(again.holdings, [
    { deployment: order.deployment, revision: 7, hash: order.hash, health: 'Available', message: '' },
  ]);
  assert.deepEqual(await second.delivery.router.dispatch({ ...order, revision: 6 }, t.signal), {
    kind: 'fenced',
    seen: 7,
  });
});

test('without a demo there is no such type, and nobody to ask', async (t) => {
  const platform = await aPlatform(t);
  const { storage, folder, api } = platform;
  const observer = observerOf(new RecordingReports(), []);
  const events = createEventLog(storage);
  const parts = { storage, events, log: memoryLogger([]), dataFolder: folder, api, observer };
  const deps = { ...parts, demoFleet: 0, leadership: new FakeLeadership(false), hold };
  const delivery = await openDelivery(deps, t.signal);
  assert.deepEqual(
    delivery.runnables.map(({ name }) => name),
    ['lost connections'],
  );
  assert.equal(await delivery.addonTypes.has(parseResourceName('simulated'), t.signal), false);
  assert.deepEqual(await delivery.router.dispatch(anOrder(), t.signal), { kind: 'offline' });
});

function observerOf(taken: RecordingReports, lines: string[]): Observer {
  return {
    observe: async (observations) => {
      for (const each of observations) {
        if (each.about === 'report') await taken.report([each.report]);
        if (each.about === 'inventory') await taken.inventory([each.inventory]);
        if (each.about === 'connection') lines.push(`${each.isOnline ? 'online' : 'offline'} ${each.target}`);
      }
    },
  };
}
