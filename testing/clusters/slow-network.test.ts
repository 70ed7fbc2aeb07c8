import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, describe, it, type TestContext } from 'node:test';
import { type SlowNetworkOptions, startSlowNetwork } from './slow-network.ts';

describe('a slow network', () => {
  const sockets = new Set<Socket>();
  // Sends back what it gets.
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

  it('takes its time in both directions, and no longer for what follows at once', async (t) => {
    const socket = await dial(t, { latencyMs: 100 });
    const begun = performance.now();
    for (let i = 0; i < 5; i += 1) {
      socket.write('hello');
      await new Promise(setImmediate);
    }
    await receive(socket, 25);
    const took = performance.now() - begun;
    assert.ok(took >= 199, `${took}`);
  });

  it('lets through as much as it is told', async (t) => {
    const socket = await dial(t, { bytesPerSecond: 100_000 });
    const begun = performance.now();
    socket.write(Buffer.alloc(20_000));
    await receive(socket, 20_000);
    assert.ok(performance.now() - begun >= 199);
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
