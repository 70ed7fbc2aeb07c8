import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Platform, platformHome } from '#testing/platform-process';
import { eventually } from '../../../kit/durable/testing/eventually.ts';

const HELLO = '/v1/workspaces/demo/deployments/hello';
const flags = ['--demo-fleet', '3'];

interface Shown {
  readonly revision: number;
  readonly reconciling: boolean;
  readonly status: {
    readonly counts: { readonly placed: number; readonly available: number; readonly offline: number };
  };
}

interface Target {
  readonly connection: { readonly state: string; readonly lastSeenTime: string };
}

async function targets(platform: Platform): Promise<readonly Target[]> {
  return ((await (await platform.request('/v1/targets')).json()) as { items: readonly Target[] }).items;
}

async function shown(platform: Platform): Promise<Shown | undefined> {
  const answer = await platform.request(HELLO);
  return answer.status === 200 ? ((await answer.json()) as Shown) : undefined;
}

test('the first start shows a rollout, a killed one goes on, what came to its end stays there, and one without the fleet says so', async (t) => {
  const home = await platformHome('sqlite');
  t.after(() => home.dispose());
  const first = await home.start({ flags });
  await eventually('a target has it', async () => (await shown(first))?.status.counts.available === 1);
  assert.equal((await shown(first))?.status.counts.placed, 3);
  await first.kill();

  const second = await home.start({ flags });
  const change = { manifest: { documents: [] }, rollout: { type: 'immediate' } };
  assert.equal((await second.request(HELLO, { method: 'PATCH', body: change })).status, 200);
  await eventually('all have something else', async () => {
    const { revision = 0, reconciling = true, status } = (await shown(second)) ?? {};
    return revision > 1 && !reconciling && status?.counts.available === 3;
  });
  const { revision } = (await shown(second)) ?? {};
  assert.equal((await second.stop()).code, 0);

  const begun = Date.now();
  const third = await home.start({ flags });
  const isBack = async () => {
    const all = await targets(third);
    const isSeen = all.every(({ connection }) => Date.parse(connection.lastSeenTime) >= begun);
    return isSeen && (await shown(third))?.status.counts.available === 3;
  };
  await eventually('the fleet is back', isBack);
  assert.equal((await shown(third))?.revision, revision, 'a restart delivers nothing');
  const known = await targets(third);
  assert.deepEqual(
    known.map(({ connection }) => connection.state),
    ['Connected', 'Connected', 'Connected'],
  );
  await third.kill();

  const without = await home.start();
  const isAway = async () => (await targets(without)).every(({ connection }) => connection.state === 'Disconnected');
  await eventually('nobody speaks for them any more', isAway);
  assert.deepEqual(
    (await targets(without)).map(({ connection }) => connection.lastSeenTime),
    known.map(({ connection }) => connection.lastSeenTime),
  );
  const isOffline = async () => (await shown(without))?.status.counts.offline === 3;
  await eventually('and deployments know', isOffline);
});
