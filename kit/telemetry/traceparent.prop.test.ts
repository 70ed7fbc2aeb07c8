import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

function hex(digits: number): fc.Arbitrary<string> {
  return fc
    .string({ unit: fc.constantFrom(...'0123456789abcdef'.split('')), minLength: digits, maxLength: digits })
    .filter((text) => /[^0]/.test(text));
}

test('what was written is read back', () => {
  const positions = fc.record({ traceId: hex(32), spanId: hex(16), sampled: fc.boolean() }, { noNullPrototype: true });
  fc.assert(
    fc.property(positions, (position) => assert.deepEqual(parseTraceparent(formatTraceparent(position)), position)),
  );
});

test('anything else is nothing, never an exception', () => {
  fc.assert(fc.property(fc.string(), (text) => assert.equal(parseTraceparent(text), undefined)));
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

for (const { why, header } of [
  { why: 'a missing header', header: undefined },
  { why: 'the forbidden version', header: `ff-${TRACE}-${SPAN}-01` },
  { why: 'the trace that is none', header: `00-${'0'.repeat(32)}-${SPAN}-01` },
  { why: 'the span that is none', header: `00-${TRACE}-${'0'.repeat(16)}-01` },
  { why: 'upper case', header: `00-${TRACE.toUpperCase()}-${SPAN}-01` },
  { why: 'more fields than version 00 has', header: `00-${TRACE}-${SPAN}-01-more` },
  { why: 'a missing flag', header: `00-${TRACE}-${SPAN}` },
]) {
  test(`begins a new trace: ${why}`, () => assert.equal(parseTraceparent(header), undefined));
}

for (const { why, header, sampled } of [
  { why: 'a later version with more fields', header: `01-${TRACE}-${SPAN}-01-more`, sampled: true },
  { why: 'flags that we do not know', header: `00-${TRACE}-${SPAN}-fe`, sampled: false },
]) {
  test(`continues the trace: ${why}`, () => {
    assert.deepEqual(parseTraceparent(header), { traceId: TRACE, spanId: SPAN, sampled });
  });
}
