import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startFaultProxy } from '#testing/fault-proxy/start-fault-proxy';
import { PATIENCE_MS } from '#testing/patience';
import { seededRandom } from '#testing/seeded';
import { StreamRecorder } from '../testing/stream-recorder.ts';
import { GRPC_PATH, LOOPBACK, makeTestTls } from '../testing/transport-stages.ts';
import type { Connection, StreamHandlers } from '../transport.ts';
import type { TransportError } from '../transport-error.ts';
import { createGrpcTransport, listenGrpc } from './index.ts';

describe('what Node does with a connection that ends', { timeout: PATIENCE_MS }, () => {
  it('never ends a stream in order that was destroyed', async (t) => {
    const { promise: taken, resolve } = Promise.withResolvers<Socket>();
    const server = createServer(resolve);
    t.after(() => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const to = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
    const connecting = createGrpcTransport({ to, path: GRPC_PATH }).connect(t.signal);
    const socket = await taken;
    t.after(() => socket.destroy());
    const frames = readFrames(socket);
    socket.write(SETTINGS);
    const connection = await connecting;
    t.after(() => connection.close());
    const stream = connection.open(new StreamRecorder());
    stream.send(Buffer.from('hello'));
    await untilSeen(frames, (seen) => seen.some(({ type }) => type === DATA));
    stream.destroy();
    await untilSeen(frames, (seen) => seen.some(({ type }) => type === RST_STREAM));
    assert.deepEqual(
      frames.seen.filter(({ type, flags }) => type === DATA && (flags & END_STREAM) !== 0),
      [],
    );
  });

  for (const tls of [undefined, makeTestTls()]) {
    it(`closes at once when the network is stuck${tls ? ', with TLS' : ''}`, async (t) => {
      const server = await listenGrpc({
        at: LOOPBACK,
        path: GRPC_PATH,
        accept: () => new StreamRecorder(),
        ...(tls && { tls: tls.server }),
      });
      t.after(() => server.close());
      const target = server.address as { host: string; port: number };
      const proxy = await startFaultProxy({ target, random: seededRandom(1) });
      t.after(() => proxy.close());
      const transport = createGrpcTransport({ to: proxy.address, path: GRPC_PATH, ...(tls && { tls: tls.dial }) });
      const connection = await transport.connect(t.signal);
      proxy.stall();
      // Each stream may fill its window: together more than any network holds.
      const recorders = Array.from({ length: 16 }, () => new StreamRecorder());
      for (const recorder of recorders) connection.open(recorder).send(new Uint8Array(2_000_000));
      // Time for Node to hand it down.
      await delay(100);
      await connection.close();
      for (const recorder of recorders) assert.equal(await recorder.end(), 'CONNECTION_LOST');
    });

    it(`tells all of a hundred whose server ends while they talk${tls ? ', with TLS' : ''}`, async (t) => {
      const server = await listenGrpc({
        at: LOOPBACK,
        path: GRPC_PATH,
        accept: (stream) => ({ ...DEAF, frame: (bytes) => void stream.send(bytes) }),
        ...(tls && { tls: tls.server }),
      });
      t.after(() => server.close());
      const to = server.address as { host: string; port: number };
      const transport = createGrpcTransport({ to, path: GRPC_PATH, ...(tls && { tls: tls.dial }) });
      // A few handshakes at a time, and all before the traffic: each has a deadline, and one process does the work of both
      // ends.
      const connections: Connection[] = [];
      while (connections.length < 100) {
        connections.push(...(await Promise.all(Array.from({ length: 4 }, () => transport.connect(t.signal)))));
      }
      const ended = await Promise.all(connections.map(talkAlways));
      await server.close();
      for (const error of await Promise.all(ended.map(({ end }) => end))) assert.equal(error?.code, 'CONNECTION_LOST');
    });
  }
});

const DEAF: StreamHandlers = { frame: () => {}, room: () => {}, closed: () => {} };

/** Echoes until the server is gone; has started when this resolves. */
async function talkAlways(connection: Connection) {
  const { promise: end, resolve } = Promise.withResolvers<TransportError | undefined>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const talk = (bytes: Uint8Array): void => {
    begin();
    stream.send(bytes);
  };
  const stream = connection.open({ ...DEAF, frame: talk, closed: resolve });
  stream.send(new Uint8Array(10_000));
  await begun;
  // Wrapped in an object, so that the promise is not awaited yet.
  return { end };
}

const [DATA, RST_STREAM, END_STREAM] = [0, 3, 1];
const PREFACE_BYTES = 24;
const HEADER_BYTES = 9;
const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

interface Frames {
  readonly socket: Socket;
  readonly seen: { readonly type: number; readonly flags: number }[];
}

/** The HTTP/2 frames that the client sent, by type and flags. */
function readFrames(socket: Socket): Frames {
  const frames: Frames = { socket, seen: [] };
  let [left, isBegun] = [Buffer.alloc(0), false];
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    left = Buffer.concat([left, chunk]);
    if (!isBegun && left.length >= PREFACE_BYTES) [left, isBegun] = [left.subarray(PREFACE_BYTES), true];
    while (isBegun && left.length >= HEADER_BYTES && left.length >= HEADER_BYTES + left.readUIntBE(0, 3)) {
      frames.seen.push({ type: left.readUInt8(3), flags: left.readUInt8(4) });
      left = left.subarray(HEADER_BYTES + left.readUIntBE(0, 3));
    }
    socket.emit('frames');
  });
  return frames;
}

async function untilSeen({ socket, seen }: Frames, holds: (frames: Frames['seen']) => boolean): Promise<void> {
  while (!holds(seen)) await once(socket, 'frames');
}
