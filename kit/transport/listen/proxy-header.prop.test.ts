import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MAX_PROXY_HEADER_BYTES, parseProxyHeader } from './proxy-header.ts';

const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');

function header(command: number, family: number, rest: Uint8Array): Buffer {
  const fixed = Buffer.from([...SIGNATURE, command, family, rest.length >> 8, rest.length & 0xff]);
  return Buffer.concat([fixed, rest]);
}

const octet = fc.integer({ min: 0, max: 255 });
const port = fc.integer({ min: 0, max: 65_535 });
const extra = fc.uint8Array({ maxLength: 64 });
const portBytes = (value: number): number[] => [value >> 8, value & 0xff];

describe('a header of the PROXY protocol', () => {
  it('names the source, whatever follows it, and is not taken before it is whole', () => {
    const source = fc.oneof(
      fc.array(octet, { minLength: 4, maxLength: 4 }).map((bytes) => ({ family: 0x11, bytes, text: bytes.join('.') })),
      fc.array(octet, { minLength: 16, maxLength: 16 }).map((bytes) => {
        const groups = Array.from({ length: 8 }, (_, at) =>
          ((bytes[2 * at] ?? 0) * 256 + (bytes[2 * at + 1] ?? 0)).toString(16),
        );
        return { family: 0x21, bytes, text: groups.join(':') };
      }),
    );
    fc.assert(
      fc.property(source, port, extra, extra, ({ family, bytes, text }, from, more, payload) => {
        const addresses = [...bytes, ...bytes, ...portBytes(from), ...portBytes(443)];
        const whole = header(0x21, family, Uint8Array.from([...addresses, ...more]));
        const read = parseProxyHeader(Buffer.concat([whole, payload]));
        assert.deepEqual(read, { kind: 'header', bytes: whole.length, source: { address: text, port: from } });
        for (let length = 0; length < whole.length; length += 1) {
          assert.deepEqual(parseProxyHeader(whole.subarray(0, length)), { kind: 'incomplete' });
        }
      }),
    );
  });

  it('never throws, and never waits for more than it may have', () => {
    const near = fc.tuple(octet, octet, fc.uint8Array({ maxLength: 80 })).map(([a, b, rest]) => header(a, b, rest));
    const any = fc.oneof(
      fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
      near,
    );
    fc.assert(
      fc.property(any, (bytes) => {
        const read = parseProxyHeader(bytes);
        if (read.kind === 'incomplete') assert.ok(bytes.length < MAX_PROXY_HEADER_BYTES);
        if (read.kind === 'header') assert.ok(read.bytes <= bytes.length);
      }),
    );
  });

  const rows: readonly (readonly [string, Buffer, string])[] = [
    ['a health check speaks for itself', header(0x20, 0, new Uint8Array(0)), 'header'],
    ['so does a family that has no address', header(0x21, 0x31, new Uint8Array(216)), 'header'],
    ['a TLS handshake is no header', Buffer.from([0x16, 3, 1]), 'invalid'],
    ['version 1 is text', Buffer.from('PROXY TCP4 192.0.2.1'), 'invalid'],
    ['addresses that are cut short', header(0x21, 0x11, new Uint8Array(11)), 'invalid'],
    ['more than it may have', header(0x21, 0x11, new Uint8Array(1_025)), 'invalid'],
    ['an unknown command', header(0x2f, 0x11, new Uint8Array(12)), 'invalid'],
  ];
  for (const [why, bytes, kind] of rows) {
    it(`${kind}: ${why}`, () => assert.equal(parseProxyHeader(bytes).kind, kind));
  }
});
