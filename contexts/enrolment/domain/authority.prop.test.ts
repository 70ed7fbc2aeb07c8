import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseUuid } from '#kit/std';
import {
  AUTHORITY_LIFE_MS,
  authorityState,
  type CertificateAuthority,
  issuingAuthority,
  planRotation,
  trustedAuthorities,
} from './authority.ts';
import { EnrolmentError } from './enrolment-error.ts';

const HOUR = 3_600_000;
const limits = { ttlMs: 24 * HOUR, graceMs: 30 * 24 * HOUR };

/** Rotations, each with the time since the previous one and its lead. */
const history = fc.array(fc.record({ after: fc.nat(2_000), lead: fc.nat(48) }), { maxLength: 8 });

function authorityOf(nth: number, createTime: number, issueFrom: number): CertificateAuthority {
  const uid = parseUuid(`00000000-0000-7000-8000-${String(nth).padStart(12, '0')}`);
  const rest = { name: '', certificate: '', fingerprint: '', sealedKey: '' };
  return { uid, ...rest, createTime, issueFrom, retireTime: undefined, notAfter: createTime + AUTHORITY_LIFE_MS };
}

function play(rotations: readonly { readonly after: number; readonly lead: number }[]) {
  let now = 0;
  let all: CertificateAuthority[] = [authorityOf(0, 0, 0)];
  for (const [index, { after, lead }] of rotations.entries()) {
    now += after * HOUR;
    try {
      const times = planRotation(all, { lead: `${lead}h` }, { now, limits });
      all = all.map((each) => ({ ...each, retireTime: Math.min(each.retireTime ?? Infinity, times.retireTime) }));
      all.push(authorityOf(index + 1, now, times.issueFrom));
    } catch (error) {
      if (!(error instanceof EnrolmentError) || error.code !== 'ROTATION_UNDER_WAY') throw error;
    }
  }
  return { all, now };
}

test('whatever was rotated, exactly one issues at any time, and at most one is next', () => {
  fc.assert(
    fc.property(history, fc.nat(5_000), (rotations, later) => {
      const { all, now } = play(rotations);
      const states = all.map((authority) => authorityState(authority, all, now + later * HOUR));
      assert.equal(states.filter((state) => state === 'Issuing').length, 1, states.join());
      assert.ok(states.filter((state) => state === 'Next').length <= 1, states.join());
    }),
  );
});

test('the first one issues while the clock is before all of them', () => {
  const all = [authorityOf(1, 2 * HOUR, 2 * HOUR), authorityOf(0, HOUR, HOUR)];
  assert.equal(issuingAuthority(all, 0), all[1]);
  assert.deepEqual(
    all.map((authority) => authorityState(authority, all, 0)),
    ['Next', 'Issuing'],
  );
});

test('what was issued is trusted for as long as it can be renewed, whatever is rotated meanwhile', () => {
  fc.assert(
    fc.property(history, fc.nat(10_000), (rotations, at) => {
      const { all } = play(rotations);
      const issued = at * HOUR;
      const by = issuingAuthority(all, issued);
      assert.ok(by !== undefined);
      // With the authorities known when it issued, and with those known after all rotations.
      const end = issued + limits.ttlMs + limits.graceMs - 1;
      assert.ok(trustedAuthorities(all, end).includes(by));
    }),
  );
});
