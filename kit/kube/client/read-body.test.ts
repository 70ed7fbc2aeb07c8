import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readBody } from './read-body.ts';

const MOST = 100;
const packed = { 'content-encoding': 'gzip' };

describe('readBody', () => {
  it('reads all of it, however it is packed and parted', async () => {
    const text = 'ü 漢 𝄞';
    const bytes = Buffer.from(text);
    assert.equal(await readBody(answer(Readable.from([bytes.subarray(0, 1), bytes.subarray(1)])), MOST), text);
    assert.equal(await readBody(answer(Readable.from([gzipSync(bytes)]), packed), MOST), text);
    assert.equal(await readBody(answer(Readable.from([])), MOST), '');
  });

  const cuts: { why: string; end: (body: Readable) => void; whole?: boolean }[] = [
    { why: 'the stream is closed without a word', end: (body) => body.destroy() },
    { why: 'the stream breaks', end: (body) => body.destroy(new Error('reset')) },
    { why: 'the stream ends, though the server has not ended it', end: (body) => body.push(null), whole: false },
  ];
  for (const { why, end, whole = true } of cuts) {
    it(`is not the whole when ${why}`, async () => {
      const body = new Readable({ read: () => {} });
      const reading = readBody(answer(body, {}, whole), MOST);
      body.push('{"kind":');
      await once(body, 'data');
      end(body);
      await assert.rejects(reading, { code: 'CONNECTION_LOST' });
    });
  }

  it('reads no more than allowed', async () => {
    const large = Buffer.alloc(MOST + 1, 'x');
    const refused = { code: 'RESPONSE_TOO_LARGE' };
    await assert.rejects(readBody(answer(Readable.from([large])), MOST), refused);
    await assert.rejects(readBody(answer(Readable.from([large]), { 'content-length': '101' }), MOST), refused);
    await assert.rejects(readBody(answer(Readable.from([gzipSync(large)]), packed), MOST), refused);
  });

  it('does not take half of a packed answer for one', async () => {
    const half = gzipSync(Buffer.alloc(MOST, 'x')).subarray(0, -8);
    await assert.rejects(readBody(answer(Readable.from([half]), packed), MOST), { code: 'CONNECTION_LOST' });
  });
});

function answer(body: Readable, headers: Record<string, string> = {}, whole = true) {
  return { status: 200, headers, body, isWhole: () => whole };
}
