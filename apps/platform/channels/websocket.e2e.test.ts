import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../../../kit/durable/testing/eventually.ts';
import { enrolledFleetlet, webSocketOf, wordOf } from './testing/enrolled-fleetlet.ts';
import { ScriptedFleetlet } from './testing/scripted-fleetlet.ts';
import { type ServingPlatform, servingPlatform } from './testing/serving-platform.ts';

let platform: ServingPlatform;

/** Prepares tokens for that many streams. */
async function words(enrolled: Parameters<typeof wordOf>[0], count: number): Promise<() => { authorization: string }> {
  const made = await Promise.all(Array.from({ length: count }, () => wordOf(enrolled)));
  return () => ({ authorization: `Bearer ${made.pop() ?? ''}` });
}

describe('fleetlets over WebSockets', () => {
  before(async () => {
    platform = await servingPlatform();
  });

  after(() => platform.stop());

  test('over WebSockets it is the same: registration, an order, a cut', async (t) => {
    const enrolled = await enrolledFleetlet(platform, ['ws-1']);
    const fleetlet = new ScriptedFleetlet(webSocketOf(enrolled), { headers: await words(enrolled, 40) });
    t.after(() => fleetlet.stop());
    const request = fleetlet.register('ws-1');
    await eventually('it is accepted', async () => fleetlet.answerTo(request)?.kind === 'targetAccepted');
    await platform.call('POST', '/v1/workspaces/root/deployments', {
      name: 'on-ws-1',
      manifest: { type: 'inline', documents: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hello' } }] },
      placement: [{ type: 'static', targets: ['ws-1'] }],
      rollout: { type: 'immediate' },
    });
    await eventually('the order came', async () => fleetlet.orders.length === 1);
    const stateIs = (wanted: string) =>
      eventually(`it is ${wanted}`, async () => {
        const { connection } = await platform.call<{ connection: { state: string } }>('GET', '/v1/targets/ws-1');
        return connection.state === wanted;
      });
    fleetlet.canConnect = false;
    await fleetlet.cut();
    await stateIs('Disconnected');
    fleetlet.canConnect = true;
    await stateIs('Connected');
  });

  test('a word is good for one stream: shown again it is refused', async (t) => {
    const enrolled = await enrolledFleetlet(platform, ['ws-2']);
    const word = await wordOf(enrolled);
    const headers = (): { authorization: string } => ({ authorization: `Bearer ${word}` });
    const first = new ScriptedFleetlet(webSocketOf(enrolled), { headers });
    t.after(() => first.stop());
    await eventually('it is welcome', async () => first.replies.some(({ kind }) => kind === 'welcome'));
    const thief = new ScriptedFleetlet(webSocketOf(enrolled), { headers });
    t.after(() => thief.stop());
    await eventually('it is refused', async () => thief.isRefused === 'unauthenticated');
  });

  test('without a word it is refused, and what is no WebSocket is answered as ever', async (t) => {
    const enrolled = await enrolledFleetlet(platform, ['ws-3']);
    const fleetlet = new ScriptedFleetlet(webSocketOf(enrolled));
    t.after(() => fleetlet.stop());
    await eventually('it is refused', async () => fleetlet.isRefused === 'unauthenticated');
    assert.equal((await fetch(`${platform.api}/v1/fleetlet`)).status, 404);
  });
});
