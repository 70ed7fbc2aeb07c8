import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startFaultProxy } from '#testing/fault-proxy/start-fault-proxy';
import { PATIENCE_MS } from '#testing/patience';
import { seededRandom } from '#testing/seeded';
import { StreamRecorder } from '../testing/stream-recorder.ts';
import { GRPC_PATH, LOOPBACK } from '../testing/transport-stages.ts';
import type { Stream } from '../transport.ts';
import { createGrpcTransport } from './grpc-transport.ts';
import { listenGrpc } from './listen-grpc.ts';

const SHORT_BYTES = 128 * 1024;

describe('a connection that is kept short', { timeout: PATIENCE_MS }, () => {
  for (const receiver of ['called', 'caller'] as const) {
    it(`has little in flight to the ${receiver} on a stream that is not read, and other streams go on`, async (t) => {
      const { proxy, open } = await connected(t);
      const [large, small] = [await open('large'), await open('small')];
      const sender = receiver === 'called' ? 'caller' : 'called';
      large[receiver].stream?.keepShort?.();
      // An answer proves that the setting has arrived, since it went before.
      await talk(small);
      large[receiver].stream?.pause();
      const before = proxy.bytes;
      large[sender].stream?.send(Buffer.alloc(1024 * 1024));
      while (proxy.bytes - before < SHORT_BYTES) await pause(1);
      for (let count = 0; count < 50; count += 1) await talk(small);
      assert.ok(proxy.bytes - before < 2 * SHORT_BYTES, `${proxy.bytes - before} bytes are in flight`);
      large[receiver].stream?.resume();
      await large[receiver].until(() => large[receiver].frames.some(({ length }) => length === 1024 * 1024));
    });
  }
});

interface Ends {
  readonly caller: StreamRecorder;
  readonly called: StreamRecorder;
}

/** A frame in each direction. */
async function talk({ caller, called }: Ends): Promise<void> {
  const [up, down] = [called.frames.length, caller.frames.length];
  caller.stream?.send(Buffer.from('up'));
  await called.until(() => called.frames.length > up);
  called.stream?.send(Buffer.from('down'));
  await caller.until(() => caller.frames.length > down);
}

async function connected(t: TestContext) {
  const taken = new Map<string, PromiseWithResolvers<StreamRecorder>>();
  const server = await listenGrpc({
    at: LOOPBACK,
    path: GRPC_PATH,
    accept: (stream: Stream) => {
      stream.admit?.();
      const recorder = new StreamRecorder();
      recorder.stream = stream;
      taken.get(stream.peer.headers['name'] ?? '')?.resolve(recorder);
      return recorder;
    },
  });
  t.after(() => server.close());
  assert.ok('port' in server.address);
  const proxy = await startFaultProxy({ target: server.address, random: seededRandom(1) });
  t.after(() => proxy.close());
  const connection = await createGrpcTransport({ to: proxy.address, path: GRPC_PATH }).connect(t.signal);
  t.after(() => connection.close());
  const open = async (name: string): Promise<Ends> => {
    const accepted = Promise.withResolvers<StreamRecorder>();
    taken.set(name, accepted);
    const caller = new StreamRecorder();
    caller.stream = connection.open(caller, { name });
    return { caller, called: await accepted.promise };
  };
  return { proxy, open };
}
