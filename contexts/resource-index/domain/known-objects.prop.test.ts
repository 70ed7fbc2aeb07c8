import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BUCKETS, bucketOf } from './bucket.ts';
import { DIGEST_SPACE, hash48 } from './hash48.ts';
import { KnownObjects } from './known-objects.ts';

const keyText = fc.nat(30).map((number) => `ns/n${number}`);
/** Hashes, because sums of small numbers collide by chance. */
const digest = fc.nat(1_000).map((number) => hash48(String(number)));
const change = fc.record({ keyText, digest: fc.option(digest, { nil: undefined }) });

function after(changes: readonly { keyText: string; digest: number | undefined }[]): KnownObjects {
  const known = new KnownObjects();
  for (const each of changes) {
    if (each.digest === undefined) known.delete(each.keyText);
    else known.set(each.keyText, { digest: each.digest, expireTime: 0 });
  }
  return known;
}

function plainly(known: KnownObjects): number[] {
  const sums = Array.from<number>({ length: BUCKETS }).fill(0);
  for (const key of known.keys()) {
    const bucket = bucketOf(key);
    sums[bucket] = ((sums[bucket] ?? 0) + (known.digestOf(key) ?? 0)) % DIGEST_SPACE;
  }
  return sums;
}

describe('what one side believes the other to have', () => {
  it('sums up to the same, however it came about', () => {
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const known = after(changes);
        assert.deepEqual(known.differing(plainly(known)), []);
      }),
    );
  });

  it('becomes what the other has when the buckets that differ are replaced, which are few', () => {
    fc.assert(
      fc.property(fc.array(change), fc.array(change, { maxLength: 5 }), (before, more) => {
        const ours = after(before);
        const theirs = after([...before, ...more]);
        const buckets = new Set(ours.differing(plainly(theirs)));
        assert.ok(buckets.size <= more.length);
        const entries = [...theirs.keys()]
          .filter((key) => buckets.has(bucketOf(key)))
          .map((key) => ({ keyText: key, digest: theirs.digestOf(key) ?? 0 }));
        ours.replace(buckets, entries);
        const listed = (known: KnownObjects) =>
          [...known.keys()].map((key) => `${key} ${known.digestOf(key)}`).toSorted();
        assert.deepEqual(listed(ours), listed(theirs));
      }),
    );
  });

  it('wraps around where sums do, both ways', () => {
    const [one = '', other = ''] = Array.from({ length: 1_000 }, (_, index) => `ns/n${index}`).filter(
      (key) => bucketOf(key) === bucketOf('ns/n0'),
    );
    const known = new KnownObjects();
    for (const key of [one, other]) known.set(key, { digest: DIGEST_SPACE - 1, expireTime: 0 });
    assert.deepEqual(known.differing(plainly(known)), []);
    known.delete(one);
    assert.deepEqual(known.differing(plainly(known)), []);
  });

  it('forgets what the other forgets by itself', () => {
    const known = new KnownObjects();
    known.set('a/passing', { digest: 5, expireTime: 100 });
    known.set('a/lasting', { digest: 7, expireTime: 0 });
    known.forgetExpired(100);
    assert.deepEqual([...known.keys()], ['a/lasting']);
    assert.deepEqual(known.differing(plainly(known)), []);
  });
});

describe('the bucket of an object', () => {
  // As an agent in another language can compute them: FNV-1a, 32 bits, of UTF-8.
  for (const { text, want } of [
    { text: '', want: 0xc5 },
    { text: 'a', want: 0x2c },
    { text: 'foobar', want: 0x68 },
  ]) {
    it(`of "${text}" is ${want}`, () => assert.equal(bucketOf(text), want));
  }
});
