import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { framingHeaders, framingOf } from './body-framing.ts';

const rows = [
  { why: 'nothing is said', raw: ['Accept', 'x'], want: 'none' },
  { why: 'a length', raw: ['Content-Length', '12'], want: 'length' },
  { why: 'chunks', raw: ['transfer-encoding', 'Chunked'], want: 'chunked' },
  { why: 'both', raw: ['Content-Length', '1', 'Transfer-Encoding', 'chunked'], want: undefined },
  { why: 'two lengths, though they agree', raw: ['Content-Length', '1', 'content-length', '1'], want: undefined },
  { why: 'a list of lengths', raw: ['Content-Length', '1, 1'], want: undefined },
  { why: 'a sign', raw: ['Content-Length', '+1'], want: undefined },
  { why: 'no number', raw: ['Content-Length', '0x1'], want: undefined },
  { why: 'more than can be counted', raw: ['Content-Length', '9'.repeat(16)], want: undefined },
  { why: 'another coding', raw: ['Transfer-Encoding', 'gzip, chunked'], want: undefined },
  { why: 'chunks twice', raw: ['Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'chunked'], want: undefined },
  { why: 'identity', raw: ['Transfer-Encoding', 'identity'], want: undefined },
] as const;

for (const { why, raw, want } of rows) {
  test(`${why}: ${want ?? 'no framing'}`, () => assert.equal(framingOf(raw)?.kind, want));
}

test('what is written for the next connection is read there as it was meant', () => {
  const methods = fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'DELETE', 'POST', 'PUT', 'PATCH', 'PROPFIND');
  const framings = fc.oneof(
    fc.constant({ kind: 'chunked' } as const),
    fc.record({ kind: fc.constant('length' as const), length: fc.nat() }, { noNullPrototype: true }),
  );
  fc.assert(
    fc.property(framings, methods, (framing, method) => {
      assert.deepEqual(framingOf(Object.entries(framingHeaders(framing, method)).flat()), framing);
    }),
  );
});

test('only methods that have no body anyway go without a word about it', () => {
  assert.deepEqual(framingHeaders({ kind: 'none' }, 'GET'), {});
  assert.deepEqual(framingHeaders({ kind: 'none' }, 'DELETE'), { 'content-length': '0' });
});
