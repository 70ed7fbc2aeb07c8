import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { beginAfter, type CertificateMark, succession } from './certificate-standing.ts';

/** A clock that is off by at most what certificates are backdated by. */
const skewMs = fc.integer({ min: -240_000, max: 240_000 });
const step = fc.oneof(
  fc.record({ kind: fc.constant('renew' as const), skewMs, isLost: fc.boolean(), afterMs: fc.nat(90_000_000) }),
  fc.record({ kind: fc.constant('connect' as const) }),
  fc.record({ kind: fc.constant('restore' as const), to: fc.nat(20) }),
);

test('a fleetlet that shows the newest it got is never refused; those before are, once that was shown', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let now = 1_000_000_000;
      let serials = 0;
      const issue = (begin: number): CertificateMark => ({ serial: String(++serials), notBefore: begin });
      let own = issue(beginAfter(now, []));
      let inUse: CertificateMark | undefined = own;
      let before: CertificateMark[] = [];
      const backups: (CertificateMark | undefined)[] = [undefined, inUse];
      const show = (): void => {
        const order = succession(own, inUse);
        assert.notEqual(order, 'superseded', 'the fleetlet is locked out');
        if (order === 'newer' || inUse === undefined) inUse = own;
        backups.push(inUse);
        for (const old of before) assert.equal(succession(old, inUse), 'superseded', `${old.serial} is taken`);
      };
      for (const each of steps) {
        if (each.kind === 'restore') inUse = backups[each.to % backups.length];
        else if (each.kind === 'connect') show();
        else {
          now += each.afterMs;
          show();
          const next = issue(beginAfter(now + each.skewMs - 300_000, [inUse, own]));
          if (each.isLost) continue;
          before = [...before, own];
          own = next;
          assert.equal(succession(own, inUse), 'newer');
          show();
        }
      }
    }),
  );
});

test('the beginning of a certificate is in whole seconds, as the certificate says it', () => {
  fc.assert(
    fc.property(fc.nat(), fc.option(fc.nat(), { nil: undefined }), (earliest, last) => {
      const mark = last === undefined ? undefined : { serial: 'x', notBefore: last - (last % 1_000) };
      const begin = beginAfter(earliest, [mark]);
      assert.equal(begin % 1_000, 0);
      assert.ok(mark === undefined || begin > mark.notBefore);
    }),
  );
});
