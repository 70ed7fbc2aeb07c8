import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Secret } from '#kit/std';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { ARCHIVE_ERRORS, ArchiveError, openArchive, sealArchive } from './index.ts';

const passphrase = new Secret('correct horse battery staple');
const ABOUT = { version: '1.2.3' };

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function seal(content: Uint8Array, piece = 10_000): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of sealArchive(inPieces(content, piece), { about: ABOUT, passphrase, cost: 1024 }))
    parts.push(part);
  return Buffer.concat(parts);
}

async function open(archive: Uint8Array, secret = passphrase, piece = 7_000): Promise<Buffer> {
  const { about, content } = await openArchive(inPieces(archive, piece), secret);
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  // The header is readable before the first chunk proves it, so it counts only from here on.
  assert.deepEqual(about, ABOUT);
  return Buffer.concat(parts);
}

for (const size of [0, 1, 65_535, 65_536, 65_537, 131_072, 300_000]) {
  test(`${size} bytes come back as they went`, async () => {
    const content = Buffer.alloc(size, 'fleet');
    const archive = await seal(content);
    assert.equal(Buffer.compare(await open(archive), content), 0);
    assert.equal(archive.indexOf('fleetfleet'), -1);
  });
}

const CONTENT = Buffer.alloc(200_000, 'fleet');
const ARCHIVE = await seal(CONTENT);
const HEADER = ARCHIVE.indexOf('\n', ARCHIVE.indexOf('\n') + 1) + 1;
const CHUNK = 4 + 65_536 + 16;
const code = (error: unknown) => error instanceof ArchiveError && error.code;

test('a cut at any place is noticed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: ARCHIVE.length - 1 }), async (length) => {
      await assert.rejects(open(ARCHIVE.subarray(0, length)), (error) =>
        ['ARCHIVE_TRUNCATED', 'ARCHIVE_DAMAGED'].includes(String(code(error))),
      );
    }),
    { numRuns: 100, examples: [[HEADER], [HEADER + CHUNK], [HEADER + 2 * CHUNK]] },
  );
});

test('a cut between two chunks is told as what it is', async () => {
  await assert.rejects(open(ARCHIVE.subarray(0, HEADER + CHUNK)), { code: 'ARCHIVE_TRUNCATED' });
});

test('a changed bit at any place is noticed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: ARCHIVE.length * 8 - 1 }), async (bit) => {
      const changed = Buffer.from(ARCHIVE);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await assert.rejects(open(changed), (error) => error instanceof ArchiveError);
    }),
    { numRuns: 100, examples: [[256]] },
  );
});

for (const { why, spoil } of [
  { why: 'two chunks in another order', spoil: (at: (n: number) => Buffer) => [at(1), at(0), at(2), at(3)] },
  { why: 'a chunk twice', spoil: (at: (n: number) => Buffer) => [at(0), at(0), at(1), at(2), at(3)] },
  { why: 'a chunk less', spoil: (at: (n: number) => Buffer) => [at(0), at(2), at(3)] },
  { why: 'bytes behind the end', spoil: (at: (n: number) => Buffer) => [at(0), at(1), at(2), at(3), at(3)] },
]) {
  test(`${why} is noticed`, async () => {
    const chunk = (n: number) =>
      ARCHIVE.subarray(HEADER + n * CHUNK, Math.min(HEADER + (n + 1) * CHUNK, ARCHIVE.length));
    const spoiled = Buffer.concat([ARCHIVE.subarray(0, HEADER), ...spoil(chunk)]);
    await assert.rejects(open(spoiled), { code: 'ARCHIVE_DAMAGED' });
  });
}

test('a guess is dear unless told otherwise', async () => {
  const [header = Buffer.alloc(0)] = await Array.fromAsync(
    sealArchive(inPieces(CONTENT, 100_000), { about: 1, passphrase }),
  );
  assert.match(header.toString(), /"n":131072,"r":8/);
});

test('another passphrase is told as such', async () => {
  await assert.rejects(open(ARCHIVE, new Secret('wrong')), { code: 'WRONG_PASSPHRASE' });
});

for (const { why, bytes, want } of [
  { why: 'nothing', bytes: '', want: 'NOT_AN_ARCHIVE' },
  { why: 'something else', bytes: 'SQLite format 3\u0000 and more of it', want: 'NOT_AN_ARCHIVE' },
  { why: 'of a later release', bytes: 'fleetshift-archive 2\n{}\n', want: 'ARCHIVE_TOO_NEW' },
  { why: 'a header that is none', bytes: 'fleetshift-archive 1\n{}\n', want: 'ARCHIVE_DAMAGED' },
  {
    why: 'a header that wants all memory',
    bytes: `fleetshift-archive 1\n{"about":1,"kdf":{"name":"scrypt","n":1073741824,"r":8,"p":1,"salt":"${'0'.repeat(32)}"},"check":"${'0'.repeat(64)}"}\n`,
    want: 'ARCHIVE_DAMAGED',
  },
]) {
  test(`${why} is refused`, async () => {
    await assert.rejects(open(Buffer.from(bytes)), { code: want });
  });
}

test('the README lists exactly the errors that there are', () => {
  catalogueMatchesReadme({ catalogue: ARCHIVE_ERRORS, readme: new URL('./README.md', import.meta.url) });
});
