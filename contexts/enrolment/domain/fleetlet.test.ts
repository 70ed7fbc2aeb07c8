import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseResourceName, parseUuid } from '#kit/std';
import { certificateStanding } from './certificate-standing.ts';
import { type Fleetlet, isLive, newFleetlet, revoked } from './fleetlet.ts';
import { distinctName, fleetletUri, preferredName, uidInUri } from './fleetlet-names.ts';

const uid = parseUuid('00000000-0000-7000-8000-000000000001');
const place = { name: parseResourceName('web'), path: '/root/web/' };
const certificate = { serial: '01', authority: uid, notBefore: 0, notAfter: 100 };
const origin = { token: 't', keyHash: 'h' };
const fleetlet = newFleetlet({ uid, name: parseResourceName('edge'), workspace: place, origin, certificate }, 0);

for (const { why, of, now, want } of [
  { why: 'lives while its certificate is good', of: fleetlet, now: 99, want: true },
  { why: 'lives while that can be renewed', of: fleetlet, now: 109, want: true },
  { why: 'is gone after that', of: fleetlet, now: 110, want: false },
  { why: 'is gone once it is revoked', of: revoked(fleetlet, 1), now: 2, want: false },
  {
    why: 'lives for ever when it is built in',
    of: { ...fleetlet, origin: undefined, certificate: undefined },
    now: 1_000,
    want: true,
  },
] satisfies { why: string; of: Fleetlet; now: number; want: boolean }[]) {
  test(`a fleetlet ${why}`, () => assert.equal(isLive(of, { now, graceMs: 10 }), want));
}

for (const { now, want } of [
  { now: -1, want: 'notYet' },
  { now: 0, want: 'valid' },
  { now: 99, want: 'valid' },
  { now: 100, want: 'renewable' },
  { now: 109, want: 'renewable' },
  { now: 110, want: 'gone' },
]) {
  test(`a certificate from 0 to 100, with a grace of 10, is ${want} at ${now}`, () => {
    assert.equal(certificateStanding(certificate, { now, graceMs: 10 }), want);
  });
}

test('a uid is found again in its URI, and in no other', () => {
  assert.equal(uidInUri(fleetletUri(uid)), uid);
  for (const uri of ['https://fleetlet/x', `${fleetletUri(uid)}/more`, `x${fleetletUri(uid)}`]) {
    assert.equal(uidInUri(uri), undefined, uri);
  }
});

test('a name that is distinct is a name, whatever it is made from', () => {
  const names = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
  fc.assert(
    fc.property(names, (name) => {
      const distinct = distinctName(preferredName([{ name }]), uid);
      assert.ok(distinct.endsWith('-00000001') && distinct.length <= 63);
    }),
  );
});
