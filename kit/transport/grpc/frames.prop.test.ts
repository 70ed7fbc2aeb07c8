import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import { growthRatio } from '#testing/cpu-ratio';
import { FrameReader } from './frame-reader.ts';
import { FrameWriter } from './frame-writer.ts';

const frames = fc.array(
  fc
    .integer({ min: 0, max: 40_000 })
    .chain((bytes) => fc.integer({ min: 0, max: 255 }).map((fill) => Buffer.alloc(bytes, fill))),
  { maxLength: 20 },
);

test('what was written is read, however the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(frames, fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1 }), async (sent, cuts) => {
      const bytes = await written(sent);
      const reader = new FrameReader(40_000);
      const got: Uint8Array[] = [];
      for (const piece of pieces(bytes, cuts)) {
        reader.push(piece);
        for (let frame = reader.next(); frame !== undefined; frame = reader.next()) got.push(frame);
      }
      assert.deepEqual(
        got.map((frame) => Buffer.from(frame).toString('base64')),
        sent.map((frame) => frame.toString('base64')),
      );
      assert.ok(reader.isEmpty);
    }),
    { numRuns: 50 },
  );
});

test('whatever comes is frames or a fault, and never more than the bytes that came', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 64 })), (chunks) => {
      const reader = new FrameReader(1_000);
      let [came, taken] = [0, 0];
      try {
        for (const chunk of chunks) {
          reader.push(Buffer.from(chunk));
          came += chunk.length;
          for (let frame = reader.next(); frame !== undefined; frame = reader.next()) taken += 5 + frame.length;
          assert.ok(taken <= came);
        }
      } catch (error) {
        assert.ok(error instanceof Error && 'code' in error);
        assert.ok(error.code === 'BAD_FRAME' || error.code === 'FRAME_TOO_LARGE');
      }
    }),
  );
});

test('a frame that comes byte by byte takes work that grows with its length', () => {
  const ratio = growthRatio((size) => {
    const reader = new FrameReader(1_000_000);
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(size, 1);
    for (const byte of prefix) reader.push(Buffer.from([byte]));
    for (let n = 0; n < size; n += 1) reader.push(Buffer.from([n % 251]));
    const frame = reader.next() ?? assert.fail('it is there in full');
    assert.equal(frame.length, size);
    assert.ok(frame.every((byte, n) => byte === n % 251));
    assert.ok(reader.isEmpty);
  }, 30_000);
  assert.ok(ratio < 9, `four times the bytes took ${ratio} times the work`);
});

async function written(sent: readonly Uint8Array[]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      chunks.push(chunk);
      setImmediate(done);
    },
  });
  const writer = new FrameWriter(stream, () => {});
  for (const frame of sent) writer.send(frame);
  writer.end();
  await finished(stream);
  return Buffer.concat(chunks);
}

function* pieces(bytes: Buffer, cuts: readonly number[]): Generator<Buffer> {
  for (let [begin, turn] = [0, 0]; begin < bytes.length; turn += 1) {
    const end = begin + (cuts[turn % cuts.length] ?? 1);
    yield bytes.subarray(begin, end);
    begin = end;
  }
}
