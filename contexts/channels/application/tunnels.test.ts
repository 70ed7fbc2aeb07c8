import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { until } from '../testing/an-uplink.ts';
import { FleetWorld, type FleetWorldOptions } from '../testing/fleet-world.ts';
import type { ByteHandlers, ByteStream } from './byte-stream.ts';
import type { TakeTunnel } from './local-client.ts';

const NO_SIGNAL = new AbortController().signal;

async function stage(t: TestContext, take: TakeTunnel, options?: FleetWorldOptions) {
  const it = new FleetWorld(options);
  t.after(() => it.close());
  const fleetlet = await it.fleetlet('edge');
  const agent = await fleetlet.agentOf('web');
  agent.serveTunnel('api', take);
  return { it, fleetlet, agent };
}

/** Records the events of one end of a stream. */
class Ear implements ByteHandlers {
  readonly parts: Uint8Array[] = [];
  hasEnded = false;
  rooms = 0;
  /** Set at the end: the reason, or `done`. */
  over: string | undefined;

  get text(): string {
    return Buffer.concat(this.parts).toString();
  }

  data(data: Uint8Array): void {
    this.parts.push(data);
  }

  room(): void {
    this.rooms += 1;
  }

  ended(): void {
    this.hasEnded = true;
  }

  closed(why: string | undefined): void {
    this.over = why ?? 'done';
  }
}

function open(it: FleetWorld, handlers: ByteHandlers, channel = 'tunnel/api'): Promise<ByteStream> {
  return it.hub.openBytes({ target: 'uid-web', channel }, handlers, NO_SIGNAL);
}

/** Echoes what it receives, and ends when the other end does. */
const echo: TakeTunnel = (bytes) => ({
  data: (data) => {
    if (!bytes.write(data)) bytes.pause();
  },
  room: () => bytes.resume(),
  ended: () => bytes.end(),
  closed: () => {},
});

suite('a tunnel', () => {
  test('leads from the platform to the process that serves it, and ends in each direction by itself', async (t) => {
    const served = new Ear();
    let theirs: ByteStream | undefined;
    const { it } = await stage(t, (bytes, { channel, target }) => {
      assert.deepEqual([channel, target], ['tunnel/api', 'uid-web']);
      theirs = bytes;
      return served;
    });
    const ear = new Ear();
    const ours = await open(it, ear);
    ours.write(Buffer.from('question'));
    ours.end();
    await until(() => served.hasEnded);
    assert.equal(served.text, 'question');
    assert.equal(served.over, undefined);
    theirs?.write(Buffer.from('answer'));
    theirs?.end();
    await until(() => ear.over !== undefined && served.over !== undefined);
    assert.deepEqual([ear.text, ear.over, served.over], ['answer', 'done', 'done']);
  });

  test('that nobody serves is closed with a sentence', async (t) => {
    const { it } = await stage(t, echo);
    const ear = new Ear();
    await open(it, ear, 'tunnel/other');
    await until(() => ear.over !== undefined);
    assert.equal(ear.over, 'tunnel/other is not served there');
  });

  test('is heard to be cut at both ends', async (t) => {
    const served = new Ear();
    const { it, fleetlet } = await stage(t, () => served);
    const ear = new Ear();
    await open(it, ear);
    fleetlet.cut();
    await until(() => ear.over !== undefined && served.over !== undefined);
    assert.notEqual(ear.over, 'done');
    assert.notEqual(served.over, 'done');
  });

  test('is refused as soon as the fleetlet is cut that was asked for it, before its deadline', async (t) => {
    const it = new FleetWorld();
    t.after(() => it.close());
    const fleetlet = await it.fleetlet('edge');
    const agent = await fleetlet.agentOf('web');
    agent.serveTunnel('api', () => assert.fail('the cut came first'));
    const opening = open(it, new Ear());
    opening.catch(() => {});
    fleetlet.cut();
    await assert.rejects(opening, { code: 'SESSION_GONE', message: /has disconnected/ });
  });

  test('is one of 200, and none takes what is of another', async (t) => {
    const { it } = await stage(t, echo, { heartbeatMs: 30_000 });
    const names = Array.from({ length: 200 }, (_, index) => `stream ${index}`);
    const ears = await Promise.all(
      names.map(async (name) => {
        const ear = new Ear();
        const bytes = await open(it, ear);
        bytes.write(Buffer.from(name));
        bytes.end();
        return ear;
      }),
    );
    await until(() => ears.every(({ over }) => over !== undefined));
    assert.deepEqual(
      ears.map(({ text, over }) => [text, over]),
      names.map((name) => [name, 'done']),
    );
  });

  test('that is slow stops whoever writes into it, and delays no other', async (t) => {
    const slow: ByteStream[] = [];
    const { it, agent } = await stage(t, echo, { over: 'sockets' });
    const stuck = new Ear();
    agent.serveTunnel('slow', (bytes) => {
      bytes.pause();
      slow.push(bytes);
      return stuck;
    });
    const bytes = await open(it, new Ear(), 'tunnel/slow');
    let written = 0;
    const chunk = Buffer.alloc(64 * 1024);
    // The buffers along the way take some of it, and then no more.
    while (written < 64 && bytes.write(chunk)) written += 1;
    assert.ok(written < 64);
    const ear = new Ear();
    const quick = await open(it, ear);
    quick.write(Buffer.from('quick'));
    await until(() => ear.text === 'quick');
    slow[0]?.resume();
    await until(() => stuck.parts.reduce((sum, { length }) => sum + length, 0) >= (written + 1) * chunk.length);
  });

  test('carries a TCP connection, byte for byte', async (t) => {
    const server = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const { it } = await stage(t, (bytes) => joined(connect({ port, allowHalfOpen: true }), bytes), {
      over: 'sockets',
    });
    const sent = randomBytes(20 * 1024 * 1024);
    const hash = createHash('sha256');
    const over = Promise.withResolvers<string | undefined>();
    const room = { wake: (): void => {} };
    const bytes = await open(it, {
      data: (data) => hash.update(data),
      room: () => room.wake(),
      ended: () => {},
      closed: over.resolve,
    });
    for (let at = 0; at < sent.length; at += 100_000) {
      const { promise, resolve } = Promise.withResolvers<void>();
      room.wake = resolve;
      if (!bytes.write(sent.subarray(at, at + 100_000))) await promise;
    }
    bytes.end();
    assert.equal(await over.promise, undefined);
    assert.equal(hash.digest('hex'), createHash('sha256').update(sent).digest('hex'));
  });
});

function joined(socket: Socket, bytes: ByteStream): ByteHandlers {
  socket.on('data', (data: Buffer) => {
    if (!bytes.write(data)) socket.pause();
  });
  socket.on('drain', () => bytes.resume());
  socket.on('end', () => bytes.end());
  return {
    data: (data) => {
      if (!socket.write(data)) bytes.pause();
    },
    room: () => socket.resume(),
    ended: () => socket.end(),
    closed: () => socket.destroy(),
  };
}
