import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, describe, it, type TestContext } from 'node:test';
import { FakeClock } from '../fake-clock.ts';
import { type SlowNetworkOptions, startSlowNetwork } from './slow-network.ts';

describe('a slow network', () => {
  const sockets = new Set<Socket>();
  // Echoes its input.
  const echo = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).pipe(socket);
  });
  let port: number;

  before(async () => {
    await once(echo.listen(0, '127.0.0.1'), 'listening');
    const address = echo.address();
    port = typeof address === 'object' && address ? address.port : 0;
  });

  after(() => {
    for (const socket of sockets) socket.destroy();
    echo.close();
  });

  async function dial(t: TestContext, options: SlowNetworkOptions): Promise<Socket> {
    const network = await startSlowNetwork(port, options);
    const socket = connect(Number(new URL(network.server).port), '127.0.0.1');
    socket.on('error', () => {});
    t.after(async () => {
      socket.destroy();
      await network.close();
    });
    await once(socket, 'connect');
    return socket;
  }

  async function receive(socket: Socket, count: number): Promise<Buffer> {
    let received = Buffer.alloc(0);
    while (received.length < count) received = Buffer.concat([received, ...((await once(socket, 'data')) as Buffer[])]);
    return received;
  }

  it('changes nothing unless it is told to', async (t) => {
    const socket = await dial(t, {});
    const sent = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => i % 251));
    socket.write(sent);
    assert.ok(sent.equals(await receive(socket, sent.length)));
  });

  it('takes its time in both directions', async (t) => {
    const { clock, line, slept } = fakeTime();
    const socket = await dial(t, { latencyMs: 100, clock: line });
    socket.write('hello');
    await clock.untilSleeping();
    await clock.advance(100);
    // The bytes have arrived, were echoed, and are in transit again.
    await clock.untilSleeping();
    await clock.advance(100);
    assert.equal(String(await receive(socket, 5)), 'hello');
    assert.deepEqual(slept, [100, 100]);
  });

  it('lets through as much as it is told', async (t) => {
    const { clock, line, slept } = fakeTime();
    const socket = await dial(t, { bytesPerSecond: 100_000, clock: line });
    const begun = clock.now();
    let isThere = false;
    const received = receive(socket, 20_000).then(() => (isThere = true));
    socket.write(Buffer.alloc(20_000));
    for (;;) {
      await Promise.race([clock.untilSleeping(), received]);
      if (isThere) break;
      await clock.advance(slept.at(-1) ?? 0);
    }
    assert.ok(clock.now() - begun >= 200, `${clock.now() - begun} ms for a fifth of what a second lets through`);
  });

  for (const cutAfterBytes of [0, 1, 7, 20]) {
    it(`is cut after ${cutAfterBytes} bytes to the client, and not one more`, async (t) => {
      const socket = await dial(t, { cutAfterBytes });
      let received = 0;
      socket.on('data', (bytes: Buffer) => {
        received += bytes.length;
      });
      const closed = once(socket, 'close');
      socket.write('01234567');
      await new Promise(setImmediate);
      socket.write('89012345678901234567');
      await closed;
      assert.equal(received, cutAfterBytes);
    });
  }
});

/** Time that passes only when the test says so, and the duration of each sleep. */
function fakeTime() {
  const clock = new FakeClock(0);
  const slept: number[] = [];
  const never = new AbortController().signal;
  const line = {
    now: () => clock.now(),
    sleep: (ms: number): Promise<void> => {
      slept.push(ms);
      return clock.sleep(ms, never);
    },
  };
  return { clock, line, slept };
}
