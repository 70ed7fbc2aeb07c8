import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PATIENCE_MS } from '#testing/patience';
import { EndsInTurns } from './ends-in-turns.ts';

describe('connections that end together', { timeout: PATIENCE_MS }, () => {
  for (const who of ['this end', 'the other end'] as const) {
    it(`are closed a few in a turn when ${who} ends them`, async (t) => {
      const { here, there } = await connections(t, 20, new EndsInTurns(3));
      const turns = closesByTurn(here);
      for (const socket of who === 'this end' ? here : there) socket.destroy();
      const closes = await turns;
      assert.ok(Math.max(...closes) <= 3, `closes in a turn: ${closes.join(' ')}`);
      assert.ok(here.every(({ closed }) => closed));
    });
  }

  it('do not wait where they are few', async (t) => {
    const { here } = await connections(t, 3, new EndsInTurns(3));
    const turns = closesByTurn(here);
    for (const socket of here) socket.destroy();
    assert.deepEqual(await turns, [3]);
  });
});

async function connections(t: TestContext, count: number, ends: EndsInTurns) {
  const here: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {}).resume();
    ends.watch(socket);
    here.push(socket);
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const there = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => {}));
  t.after(() => there.forEach((socket) => void socket.destroy()));
  while (here.length < count) await nextTurn();
  return { here, there };
}

/** The number of sockets closed in each turn that closed any, until all are closed. */
async function closesByTurn(sockets: readonly Socket[]): Promise<number[]> {
  const turns: number[] = [];
  let [closed, told] = [0, 0];
  for (const socket of sockets) socket.once('close', () => (closed += 1));
  while (told < sockets.length) {
    await nextTurn();
    if (closed > told) turns.push(closed - told);
    told = closed;
  }
  return turns;
}
