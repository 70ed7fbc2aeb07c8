import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { FrameReader } from './frame-reader.ts';

it('a stream cut anywhere reads as the same lines', () => {
  const lines = fc.array(
    fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => JSON.stringify(text)),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(lines, fc.array(fc.nat(), { maxLength: 20 }), (wanted, cuts) => {
      const bytes = Buffer.from(wanted.map((line) => `${line}\n`).join(''));
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
      const frames = new FrameReader(10_000);
      const read = places.slice(1).flatMap((place, index) => frames.push(bytes.subarray(places[index], place)));
      assert.deepEqual(read, wanted);
      assert.equal(frames.held, 0);
    }),
  );
});
