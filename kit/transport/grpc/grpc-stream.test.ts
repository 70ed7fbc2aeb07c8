import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Http2Stream } from 'node:http2';
import { Duplex } from 'node:stream';
import { it } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import { StreamRecorder } from '../testing/stream-recorder.ts';
import { GrpcStream } from './grpc-stream.ts';

it('a stream that is over keeps nothing of what was never read', { timeout: PATIENCE_MS }, async () => {
  const raw = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  const http2 = raw as unknown as Http2Stream;
  const side = { faultOfEnd: () => undefined, tell: () => void raw.pause(), over: () => {} };
  const stream = new GrpcStream({
    http2,
    peer: { address: '', headers: {}, certificate: undefined },
    maxFrameBytes: 10,
    side,
  });
  const recorder = new StreamRecorder();
  stream.handTo(recorder);
  raw.push(Buffer.from([0, 0, 0, 0, 11]));
  assert.equal(await recorder.end(), 'FRAME_TOO_LARGE');
  raw.push(Buffer.alloc(1_000));
  assert.equal(raw.readableLength, 1_000);
  raw.destroy();
  await once(raw, 'close');
  assert.equal(raw.readableLength, 0);
});
