import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FleetletPlaces, fleetletAddress, fleetletPlace } from './fleetlet-address.ts';

const CASES: readonly { why: string; given: FleetletPlaces; want: string }[] = [
  { why: 'beside TLS unless told', given: { tlsListen: { host: '0.0.0.0', port: 8701 } }, want: '0.0.0.0:8702' },
  { why: 'a free port where TLS takes one', given: { tlsListen: { host: '127.0.0.1', port: 0 } }, want: '127.0.0.1:0' },
  { why: 'none where there is no TLS', given: {}, want: 'none' },
  { why: 'none when told so', given: { fleetletListen: 'none', tlsListen: { host: 'h', port: 1 } }, want: 'none' },
  { why: 'where it was told to, also without TLS', given: { fleetletListen: { host: 'h', port: 9 } }, want: 'h:9' },
];

for (const { why, given, want } of CASES) {
  test(why, () => assert.equal(fleetletPlace.print(fleetletAddress(given) ?? 'none'), want));
}

test('what is printed can be read again', () => {
  for (const text of ['none', '127.0.0.1:8702', '[::1]:0']) {
    assert.equal(fleetletPlace.print(fleetletPlace.parse(text)), text);
  }
});
