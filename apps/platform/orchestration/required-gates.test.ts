import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { workspaceRoutes } from '#contexts/workspaces/adapters';
import type { Storage } from '#kit/storage';
import type { TargetId } from '#protocol/targets';
import { SCHEMA_MODULES } from '#runtime/instance/schema';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { call } from '../../../contexts/identity/testing/call.ts';
import { aTarget, insertTarget, named, placeAt, uidOf } from '../../../contexts/targets/testing/a-target.ts';
import { AS_ALICE, testServer } from '../../../kit/http/testing/test-server.ts';
import { requiredGatesIn } from './transaction-ports.ts';

const signal = new AbortController().signal;
const pause = (duration: string) => ({ policy: { requiredGates: [{ type: 'wait', duration }] } });
const [TILL, STORE, BESIDE] = [1, 2, 3].map((number) => uidOf(number) as unknown as TargetId) as [
  TargetId,
  TargetId,
  TargetId,
];

eachDatabase('gates that policies demand', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await fresh();
    storage = await database.open(SCHEMA_MODULES);
    const routes = workspaceRoutes({ storage, visibility: { of: async () => ({ kind: 'everything' }) } });
    const { server } = await testServer(routes);
    const send = (what: string, want: number, body: object) => call(server, what, { headers: AS_ALICE, want, body });
    await send('PATCH /v1/workspaces/root', 200, pause('1m'));
    await send('POST /v1/workspaces', 201, { name: 'emea', ...pause('2m') });
    await send('POST /v1/workspaces', 201, { name: 'shop', parent: 'emea' });
    await send('POST /v1/workspaces', 201, { name: 'till', parent: 'shop', ...pause('3m') });
    // The path of a sibling has the same prefix; it must not be affected.
    await send('POST /v1/workspaces', 201, { name: 'emea-2', ...pause('4m') });
    await server.close(1_000);
    const at = { [TILL]: '/root/emea/shop/till/', [STORE]: '/root/emea/shop/', [BESIDE]: '/root/emea-2/' };
    const targets = Object.entries(at).map(([uid, path], index) =>
      aTarget({ name: named(`t-${index}`), uid: uid as ReturnType<typeof uidOf>, workspace: placeAt(path) }),
    );
    await storage.commit(targets.map(insertTarget), signal);
  });
  after(async () => await database.dispose());

  for (const { why, workspacePath, targets, want } of [
    { why: 'of its own workspace and all above', workspacePath: '/root/emea/', targets: [], want: ['1m', '2m'] },
    { why: 'of those above alone', workspacePath: '/root/emea/shop/', targets: [STORE], want: ['1m', '2m'] },
    {
      why: 'of one below that a target is in',
      workspacePath: '/root/emea/shop/',
      targets: [STORE, TILL],
      want: ['1m', '2m', '3m'],
    },
    {
      why: 'from the root, of each that a target is in',
      workspacePath: '/root/',
      targets: [BESIDE],
      want: ['1m', '4m'],
    },
    { why: 'of none beside it', workspacePath: '/root/emea-2/', targets: [BESIDE], want: ['1m', '4m'] },
    {
      why: 'of none for a target that is gone',
      workspacePath: '/root/',
      targets: [uidOf(9) as unknown as TargetId],
      want: ['1m'],
    },
  ]) {
    it(why, async () => {
      const gates = await storage.read(
        (reader) => requiredGatesIn(reader).of({ workspacePath, targets }, signal),
        signal,
      );
      assert.deepEqual(
        gates.map((gate) => gate['duration']),
        want,
      );
    });
  }
});
