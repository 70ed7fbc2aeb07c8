import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { PATIENCE_MS } from '#testing/patience';
import { makeTestTls } from '../testing/transport-stages.ts';
import { Arrivals, type ArrivalsOptions } from './arrivals.ts';
import { listen } from './listen.ts';

const TLS = makeTestTls();
const PROXY = '127.0.0.9';

describe('connections that have proved nothing', { timeout: PATIENCE_MS }, () => {
  it('are bounded by address, and one that has none yet gets a place', async (t) => {
    const { arrivals, call, begun } = await arriving(t, { limits: { total: 4, each: 3 } });
    const hostile = await Promise.all(Array.from({ length: 6 }, () => call('127.0.0.2')));
    while (hostile.filter(({ destroyed }) => destroyed).length < 3) await pause(1);
    await Promise.all([call('127.0.0.3'), call('127.0.0.4')]);
    while (hostile.filter(({ destroyed }) => destroyed).length < 4) await pause(1);
    assert.equal(arrivals.size, 4);
    const honest = await call('127.0.0.5');
    honest.write('hello');
    while (begun.length === 0) await pause(1);
    assert.equal(begun[0]?.remoteAddress, '127.0.0.5');
    assert.equal(arrivals.size, 4);
  });

  it('hold no turn while they are silent', async (t) => {
    const { call, begun } = await arriving(t, {});
    await Promise.all(Array.from({ length: 40 }, () => call('127.0.0.2')));
    for (const _ of Array.from({ length: 4 })) (await call('127.0.0.2')).write('hello');
    while (begun.length < 4) await pause(1);
    assert.equal(begun.length, 4);
  });

  it('go when they have said nothing for too long', async (t) => {
    const { arrivals, call } = await arriving(t, { firstBytesMs: 1 });
    const silent = await call('127.0.0.2');
    if (!silent.closed) await once(silent, 'close');
    while (arrivals.size > 0) await pause(1);
  });
});

describe('a load balancer with the PROXY protocol', { timeout: PATIENCE_MS }, () => {
  it('says who is calling, in one piece or in many', async (t) => {
    const { secure, taken } = await listening(t);
    for (const pieces of [1, 2, 28]) await secure(PROXY, headerOf('203.0.113.7', 4_711), pieces);
    assert.deepEqual(
      taken,
      Array.from({ length: 3 }, () => '203.0.113.7:4711'),
    );
  });

  it('is cut off when it says anything else first', async (t) => {
    const { secure, taken } = await listening(t);
    await assert.rejects(secure(PROXY, Buffer.alloc(0), 1));
    assert.deepEqual(taken, []);
  });

  it('is not believed where it is not known', async (t) => {
    const { secure, taken } = await listening(t);
    await assert.rejects(secure('127.0.0.2', headerOf('203.0.113.7', 4_711), 1));
    await secure('127.0.0.2', Buffer.alloc(0), 1);
    assert.deepEqual(
      taken.map((from) => from.split(':')[0]),
      ['127.0.0.2'],
    );
  });
});

async function arriving(t: TestContext, options: Partial<ArrivalsOptions>) {
  const begun: Socket[] = [];
  const arrivals = new Arrivals({ begin: (socket) => void begun.push(socket), isProxy: () => false, ...options });
  const server = createServer((socket) => arrivals.add(socket));
  t.after(() => server.close());
  await once(server.listen(0, '0.0.0.0'), 'listening');
  const { port } = server.address() as { port: number };
  const call = async (localAddress: string): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    t.after(() => socket.destroy());
    socket.on('error', () => {}).resume();
    await once(socket, 'connect');
    return socket;
  };
  return { arrivals, call, begun };
}

/** A TLS listener, and a caller that sends bytes before its handshake. */
async function listening(t: TestContext) {
  const taken: string[] = [];
  const isProxy = (address: string): boolean => address === PROXY;
  const options = { at: { host: '127.0.0.1', port: 0 }, tls: TLS.server, isProxy };
  const listener = await listen(options, 'h2', (socket, from) => {
    taken.push(from);
    socket.end();
  });
  t.after(() => listener.close());
  const { port } = listener.address as { port: number };
  const secure = async (localAddress: string, first: Buffer, pieces: number): Promise<void> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    t.after(() => socket.destroy());
    const cut = once(socket, 'close').then(() => Promise.reject(new Error('it was cut off')));
    cut.catch(() => {});
    socket.on('error', () => {});
    await once(socket, 'connect');
    const size = Math.ceil(first.length / pieces);
    for (let at = 0; at < first.length; at += size) {
      socket.write(first.subarray(at, at + size));
      await pause(1);
    }
    const secured = connectTls({ socket, ca: TLS.authority, servername: 'localhost', ALPNProtocols: ['h2'] });
    secured.on('error', () => {}).resume();
    const ended = once(secured, 'end');
    await Promise.race([once(secured, 'secureConnect'), cut]);
    await Promise.race([ended, cut.catch(() => {})]);
  };
  return { secure, taken };
}

function headerOf(address: string, port: number): Buffer {
  const source = address.split('.').map(Number);
  const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
  return Buffer.from([...signature, 0x21, 0x11, 0, 12, ...source, 10, 0, 0, 1, port >> 8, port & 0xff, 0x21, 0xfe]);
}
