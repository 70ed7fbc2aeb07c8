import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { PATIENCE_MS } from '#testing/patience';
import { StreamRecorder } from '../testing/stream-recorder.ts';
import { GRPC_PATH, makeTestTls } from '../testing/transport-stages.ts';
import type { Stream } from '../transport.ts';
import { FLOOD_LIMITS, STRANGERS_STREAMS } from './http2-settings.ts';
import { type GrpcServerOptions, listenGrpc } from './listen-grpc.ts';

const CALL = { ':method': 'POST', ':path': GRPC_PATH, 'content-type': 'application/grpc' };
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const [HEADERS, RST_STREAM, SETTINGS, PING, CONTINUATION] = [1, 3, 4, 6, 9];
const END_HEADERS = 4;
/** `GET http: /` in HPACK. */
const GET = Buffer.from([0x82, 0x86, 0x84]);
const CANCEL = Buffer.from([0, 0, 0, 8]);
const MAX_FLOOD = 1_000_000;

describe('connections of strangers', { timeout: PATIENCE_MS }, () => {
  it('are bounded by address, and one on which a stream is admitted is of no stranger', async (t) => {
    const { call, streams } = await listening(t, { strangers: { total: 4, each: 3 } });
    const known = await call('127.0.0.2');
    known.request(CALL).on('error', () => {});
    while (streams.length === 0) await pause(1);
    const most = (): number | undefined => known.remoteSettings.maxConcurrentStreams;
    assert.equal(most(), STRANGERS_STREAMS);
    streams[0]?.admit?.();
    while (most() !== 1_000) await pause(1);
    const hostile = [];
    for (let nth = 0; nth < 4; nth += 1) hostile.push(await call('127.0.0.2'));
    await ended(hostile[3]);
    const others = [await call('127.0.0.3'), await call('127.0.0.4')];
    await ended(hostile[0]);
    const isOpen = ({ destroyed }: ClientHttp2Session): boolean => !destroyed;
    assert.ok([known, hostile[1], hostile[2], ...others].every((session) => session !== undefined && isOpen(session)));
  });

  it('are cut when no stream is admitted in time', async (t) => {
    const { call, streams } = await listening(t, { admitWithinMs: 50 });
    const [silent, known] = [await call('127.0.0.2'), await call('127.0.0.2')];
    known.request(CALL).on('error', () => {});
    while (streams.length === 0) await pause(1);
    streams[0]?.admit?.();
    await ended(silent);
    assert.equal(known.destroyed, false);
  });

  it('are those without a certificate of ours', async (t) => {
    const tls = makeTestTls();
    const options = { tls: tls.server, strangers: { total: 1, each: 1 } };
    const recognises = (der: Uint8Array): boolean => Buffer.from(der).equals(tls.certificate);
    const { port, streams } = await listening(t, { ...options, recognises });
    const { certificate } = (await tls.dial.credentials?.()) ?? {};
    const secured = { port, host: '127.0.0.1', ca: tls.authority, servername: 'localhost', ALPNProtocols: ['h2'] };
    const session = async (own: object): Promise<ClientHttp2Session> =>
      await opened(t, () => connectTls({ ...secured, ...own }));
    const own = { cert: certificate?.cert, key: certificate?.key.reveal() };
    const ours = [await session(own), await session(own), await session(own)];
    for (const one of ours) one.request(CALL).on('error', () => {});
    while (streams.length < 3) await pause(1);
    assert.ok(streams.every(({ peer }) => peer.isTrusted));
    const strangers = [await session({}), await session({}).catch(() => undefined)];
    await ended(strangers[1]);
    assert.equal(ours[0]?.remoteSettings.maxConcurrentStreams, 1_000);
    assert.deepEqual(
      [...ours, strangers[0]].map((one) => one?.destroyed),
      [false, false, false, false],
    );
  });
});

describe('floods of HTTP/2', { timeout: PATIENCE_MS }, () => {
  it('of streams that are opened and reset end the session', async (t) => {
    const { flood } = await listening(t, { admitWithinMs: PATIENCE_MS });
    const resets = await flood((nth) => {
      const stream = 2 * nth + 1;
      return [
        frame(HEADERS, { stream, flags: END_HEADERS, payload: GET }),
        frame(RST_STREAM, { stream, payload: CANCEL }),
      ];
    });
    assert.ok(resets < 5 * FLOOD_LIMITS.streamResetBurst, `${resets} were taken`);
  });

  it('of CONTINUATION frames end the session, before anything was taken', async (t) => {
    const { flood, streams } = await listening(t, { admitWithinMs: PATIENCE_MS });
    const payload = Buffer.from([0x40, 1, 0x78, 1, 0x79]);
    await flood((nth) => [frame(nth === 0 ? HEADERS : CONTINUATION, { stream: 1, payload })]);
    assert.equal(streams.length, 0);
  });

  for (const [what, made] of [
    ['PING frames', () => frame(PING, { payload: Buffer.alloc(8) })],
    ['SETTINGS frames', () => frame(SETTINGS, {})],
  ] as const) {
    it(`of ${what} whose answers are not read end the session`, async (t) => {
      const { flood } = await listening(t, { admitWithinMs: PATIENCE_MS });
      await flood(() => Array.from({ length: 100 }, made), false);
    });
  }
});

interface Framed {
  readonly stream?: number;
  readonly flags?: number;
  readonly payload?: Buffer;
}

function frame(type: number, { stream = 0, flags = 0, payload = Buffer.alloc(0) }: Framed): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.set([type, flags], 3);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

async function listening(t: TestContext, options: Partial<GrpcServerOptions>) {
  const streams: Stream[] = [];
  const server = await listenGrpc({
    at: { host: '0.0.0.0', port: 0 },
    path: GRPC_PATH,
    accept: (stream) => {
      streams.push(stream);
      return new StreamRecorder();
    },
    ...options,
  });
  t.after(() => server.close());
  const { port } = server.address as { port: number };
  const call = (localAddress: string): Promise<ClientHttp2Session> =>
    opened(t, () => connect({ port, host: '127.0.0.1', localAddress }));
  /** Runs until the server hangs up; returns how many rounds that took. */
  const flood = async (frames: (nth: number) => Buffer[], isRead = true): Promise<number> => {
    const socket = connect({ port, host: '127.0.0.1' });
    t.after(() => socket.destroy());
    socket.on('error', () => {});
    if (isRead) socket.resume();
    await once(socket, 'connect');
    socket.write(Buffer.concat([PREFACE, frame(SETTINGS, {})]));
    for (let nth = 0; nth < MAX_FLOOD; nth += 1) {
      if (socket.closed) return nth;
      const goesOn = socket.write(Buffer.concat(frames(nth)));
      if (!goesOn || nth % 10 === 0) await pause(1);
    }
    throw new Error('it was all taken');
  };
  return { port, streams, call, flood };
}

async function opened(t: TestContext, dial: () => ReturnType<typeof connect>): Promise<ClientHttp2Session> {
  const session = connectHttp2('http://localhost', { createConnection: dial });
  session.on('error', () => {});
  t.after(() => session.destroy());
  await Promise.race([once(session, 'remoteSettings'), ended(session)]);
  return session;
}

async function ended(session: ClientHttp2Session | undefined): Promise<void> {
  if (session === undefined || session.destroyed) return;
  await new Promise((resolve) => session.once('close', resolve));
}
