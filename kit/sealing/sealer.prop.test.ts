import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Secret } from '#kit/std';
import { FILE_MS } from '#testing/patience';
import { Sealer } from './sealer.ts';
import type { SealingError } from './sealing-error.ts';
import { memoryKeys } from './testing/memory-keys.ts';

const signal = AbortSignal.timeout(FILE_MS);
const PLACE = { table: 'things', row: ['lamp', 7], column: 'secret' };
const broken = (error: SealingError) => error.code === 'SEAL_BROKEN';

test('what was sealed opens at its place, and shows nothing of itself', async () => {
  const sealer = new Sealer(memoryKeys());
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 5_000 }), async (text) => {
      const sealed = await sealer.seal(new Secret(text), PLACE, signal);
      assert.match(sealed, /^sealed:v1:[a-z0-9]+:[\w-]+:[\w-]+$/);
      assert.equal((await sealer.open(sealed, PLACE, signal)).reveal(), text.toWellFormed());
    }),
    { numRuns: 50 },
  );
});

for (const { why, place } of [
  { why: 'another row', place: { ...PLACE, row: ['lamp', 8] } },
  { why: 'another table', place: { ...PLACE, table: 'others' } },
  { why: 'another column', place: { ...PLACE, column: 'other' } },
  { why: 'a key that reads the same but has other parts', place: { ...PLACE, row: ['lamp,7'] } },
  { why: 'a number is not its text', place: { ...PLACE, row: ['lamp', '7'] } },
]) {
  test(`it does not open at another place: ${why}`, async () => {
    const sealer = new Sealer(memoryKeys());
    const sealed = await sealer.seal(new Secret('s3cret'), PLACE, signal);
    await assert.rejects(sealer.open(sealed, place, signal), broken);
  });
}

test('no changed bit goes unnoticed', async () => {
  const sealer = new Sealer(memoryKeys());
  const sealed = await sealer.seal(new Secret('s3cret'), PLACE, signal);
  const [head = '', version = '', id = '', key = '', content = ''] = sealed.split(':');
  const flip = (text: string, bit: number): string => {
    const bytes = Buffer.from(text, 'base64url');
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return bytes.toString('base64url');
  };
  const bits = (text: string): number => Buffer.from(text, 'base64url').length * 8;
  for (let bit = 0; bit < bits(key); bit++) {
    await assert.rejects(sealer.open([head, version, id, flip(key, bit), content].join(':'), PLACE, signal), broken);
  }
  for (let bit = 0; bit < bits(content); bit++) {
    await assert.rejects(sealer.open([head, version, id, key, flip(content, bit)].join(':'), PLACE, signal), broken);
  }
});

test('twice the same is two texts', async () => {
  const sealer = new Sealer(memoryKeys());
  const texts = await Promise.all([1, 2].map(() => sealer.seal(new Secret('s'), PLACE, signal)));
  assert.notEqual(texts[0], texts[1]);
});

test('a rewrapped value is the same value under the new key, and the text itself once it is there', async () => {
  const keys = memoryKeys();
  const sealer = new Sealer(keys);
  const old = await sealer.seal(new Secret('s3cret'), PLACE, signal);
  keys.rotate();
  const fresh = await sealer.rewrap(old, signal);
  assert.equal(fresh.split(':')[2], await keys.activeId(signal));
  assert.equal(fresh.split(':')[4], old.split(':')[4]);
  assert.equal((await sealer.open(fresh, PLACE, signal)).reveal(), 's3cret');
  assert.equal(await sealer.rewrap(fresh, signal), fresh);
});

for (const text of ['', 's3cret', 'sealed:v2:k:a:b', 'sealed:v1:k:a', 'sealed:v1:k:a:b:c', 'sealed:v1::a:b']) {
  test(`"${text}" is not sealed`, async () => {
    await assert.rejects(new Sealer(memoryKeys()).open(text, PLACE, signal), { code: 'NOT_SEALED' });
  });
}
