import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from '../patience.ts';
import { seededRandom } from '../seeded.ts';
import { type FaultStep, makeFaultSchedule } from './fault-schedule.ts';
import { startFaultProxy } from './start-fault-proxy.ts';

describe('a network that misbehaves', { timeout: PATIENCE_MS }, () => {
  it('carries bytes both ways and lets each end say all', async (t) => {
    const { call } = await setScene(t);
    const client = await call();
    client.socket.end('hello');
    assert.equal((await client.closed).toString(), 'hello');
  });

  it('cuts all that there is, with a reset', async (t) => {
    const { proxy, call } = await setScene(t);
    const clients = [await call(), await call()];
    assert.equal(proxy.connections, 2);
    proxy.cutAll();
    for (const { closed } of clients) await assert.rejects(closed, { code: 'ECONNRESET' });
    assert.equal(proxy.connections, 0);
  });

  it('cuts all that there is, as a process that exits', async (t) => {
    const { proxy, call } = await setScene(t);
    const client = await call();
    proxy.cutAll('end');
    assert.equal((await client.closed).length, 0);
  });

  for (const bytes of [1, 1_000, 65_537]) {
    it(`cuts after ${bytes} bytes, and not one more gets through`, async (t) => {
      const { proxy, call, received } = await setScene(t, 'deaf');
      const client = await call();
      proxy.cutAfter(bytes, 'end');
      client.socket.write(Buffer.alloc(100_000));
      await client.closed.catch(() => {});
      assert.equal(proxy.bytes, bytes);
      assert.ok(received() <= bytes);
    });
  }

  it('stalls: takes bytes and gives none, until it heals', async (t) => {
    const { proxy, call } = await setScene(t);
    const [stuck, free] = [await call(), await call()];
    proxy.stall();
    stuck.socket.write('later');
    await delay(50);
    assert.equal(stuck.bytes(), 0);
    proxy.heal();
    await stuck.until(5);
    free.socket.write('as well');
    await free.until(7);
  });

  it('stalls for as long as it was told', async (t) => {
    const { proxy, call } = await setScene(t);
    const client = await call();
    proxy.stall(20);
    client.socket.write('later');
    await client.until(5);
  });

  it('is half open: what goes up arrives, and no answer comes', async (t) => {
    const { proxy, call, received } = await setScene(t);
    const client = await call();
    proxy.halfOpen('down');
    client.socket.write('hello');
    while (received() < 5) await delay(1);
    assert.equal(client.bytes(), 0);
    proxy.heal();
    await client.until(5);
  });

  it('is slow', async (t) => {
    const { proxy, call } = await setScene(t);
    const client = await call();
    // At this rate, everything would take two thousand seconds.
    proxy.slow(10);
    client.socket.write(Buffer.alloc(20_000));
    await client.until(1);
    assert.ok(client.bytes() < 20_000, 'it comes bit by bit');
    proxy.heal();
    await client.until(20_000);
  });

  it('is one link for all connections, with one queue', async (t) => {
    const { proxy, call, received, firstAfter } = await setScene(t, 'deaf');
    const [greedy, modest] = [await call(), await call()];
    proxy.share(1_000_000);
    greedy.socket.write(Buffer.alloc(20_000_000));
    while (received() < 1_000) await delay(1);
    const before = proxy.bytes;
    modest.socket.write('hello');
    while (firstAfter().length < 2) await delay(1);
    const [, after = 0] = firstAfter();
    assert.ok(after - before >= 10_000, 'it waits behind the bytes that the other has in the queue');
    assert.ok(after < 20_000_000, 'and not behind all that the other is going to send');
    proxy.heal();
    while (received() < 20_000_005) await delay(1);
  });

  it('refuses those that come, and keeps those that are there', async (t) => {
    const { proxy, call } = await setScene(t);
    const there = await call();
    proxy.refuse(true);
    await assert.rejects((await call('come what may')).closed, { code: 'ECONNRESET' });
    there.socket.write('hello');
    await there.until(5);
  });

  it('lets those that connect arrive in another order', async (t) => {
    const { proxy, call, order } = await setScene(t);
    proxy.delayConnects(200);
    const clients = [];
    for (let index = 0; index < 8; index += 1) {
      const client = await call('come what may');
      client.socket.write(String(index));
      clients.push(client);
    }
    await Promise.all(clients.map((client) => client.until(1)));
    assert.equal(
      order()
        .toSorted((a, b) => a.localeCompare(b))
        .join(''),
      '01234567',
    );
    assert.notEqual(order().join(''), '01234567');
  });

  it('plays a schedule to its end, and is well afterwards', async (t) => {
    const { proxy, call } = await setScene(t);
    const schedule: FaultStep[] = makeFaultSchedule(seededRandom(7), { steps: 20, longestMs: 3 });
    await proxy.play(schedule, t.signal);
    const client = await call();
    client.socket.end('hello');
    assert.equal((await client.closed).toString(), 'hello');
  });

  it('has the same schedule for the same seed', () => {
    const make = (seed: number): FaultStep[] => makeFaultSchedule(seededRandom(seed), { steps: 30, longestMs: 100 });
    assert.deepEqual(make(1), make(1));
    assert.notDeepEqual(make(1), make(2));
    const kinds = new Set(make(3).map(({ fault }) => fault.kind));
    assert.ok(kinds.size >= 5, 'there is a bit of everything');
  });
});

/** A server behind the proxy that echoes its input, unless it is deaf. */
async function setScene(t: TestContext, manner: 'echo' | 'deaf' = 'echo') {
  let received = 0;
  const order: string[] = [];
  const firstAfter: number[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', (first: Buffer) => {
      order.push(first.toString());
      firstAfter.push(received);
    });
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (manner === 'echo') socket.write(chunk);
    });
    socket.on('end', () => socket.end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const target = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const proxy = await startFaultProxy({ target, random: seededRandom(5) });
  t.after(() => proxy.close());
  const call = async (wait: 'until it is through' | 'come what may' = 'until it is through'): Promise<Client> => {
    const before = proxy.connections;
    const client = new Client(connect({ ...proxy.address, noDelay: true }));
    t.after(() => client.socket.destroy());
    while (wait === 'until it is through' && proxy.connections === before) await delay(1);
    return client;
  };
  return { proxy, call, received: () => received, order: () => order, firstAfter: () => firstAfter };
}

class Client {
  readonly socket: Socket;
  /** Everything received, or the error that cut the connection. */
  readonly closed: Promise<Buffer>;
  readonly #chunks: Buffer[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    socket.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    socket.on('error', reject).on('close', () => resolve(Buffer.concat(this.#chunks)));
    this.closed = promise;
    promise.catch(() => {});
  }

  bytes(): number {
    return this.#chunks.reduce((sum, { length }) => sum + length, 0);
  }

  async until(bytes: number): Promise<void> {
    while (this.bytes() < bytes) await once(this.socket, 'data');
  }
}
