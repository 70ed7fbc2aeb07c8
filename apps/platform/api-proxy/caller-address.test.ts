import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerAddress } from './caller-address.ts';

const TRUSTED = ['10.0.0.0/8', '192.0.2.7', 'fd00::/8'];
const rows = [
  { why: 'nobody in between', remote: '198.51.100.1', want: '198.51.100.1' },
  {
    why: 'whoever is not trusted says what he likes',
    remote: '198.51.100.1',
    forwarded: '1.1.1.1',
    want: '198.51.100.1',
  },
  { why: 'a proxy says for whom', remote: '10.1.2.3', forwarded: '198.51.100.1', want: '198.51.100.1' },
  {
    why: 'several, one after the other',
    remote: 'fd00::1',
    forwarded: '198.51.100.1, 192.0.2.7',
    want: '198.51.100.1',
  },
  {
    why: 'what the caller made up comes before',
    remote: '10.1.2.3',
    forwarded: '6.6.6.6, 198.51.100.1',
    want: '198.51.100.1',
  },
  { why: 'a proxy that says nothing', remote: '10.1.2.3', want: '10.1.2.3' },
  { why: 'a proxy that says nonsense', remote: '10.1.2.3', forwarded: 'unknown', want: '10.1.2.3' },
  {
    why: 'an address in the clothes of IPv6',
    remote: '::ffff:10.1.2.3',
    forwarded: '::ffff:198.51.100.1',
    want: '198.51.100.1',
  },
  { why: 'no address at all', want: '' },
];

for (const { why, remote, forwarded, want } of rows) {
  test(why, () => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    assert.equal(callerAddress(TRUSTED)({ socket: { remoteAddress: remote }, headers }), want);
  });
}
