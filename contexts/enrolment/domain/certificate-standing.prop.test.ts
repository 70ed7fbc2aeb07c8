import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { beginAfter, type CertificateMark, inUseFrom, succession } from './certificate-standing.ts';

/** A clock skew within the time by which certificates are backdated. */
const skewMs = fc.integer({ min: -240_000, max: 240_000 });
const step = fc.oneof(
  fc.record({ kind: fc.constant('renew' as const), skewMs, isLost: fc.boolean(), afterMs: fc.nat(90_000_000) }),
  fc.record({ kind: fc.constant('connect' as const) }),
  fc.record({ kind: fc.constant('restore' as const), to: fc.nat(20) }),
);

test('a fleetlet that shows the newest it got is never refused; all others are, once that was shown', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const model = new Model();
      for (const each of steps) {
        if (each.kind === 'restore') model.restore(each.to);
        else if (each.kind === 'connect') model.show('connect');
        else model.renew(each);
      }
    }),
  );
});

/** The stored state of a fleetlet. */
interface Row {
  readonly inUse: CertificateMark | undefined;
  readonly issued: CertificateMark | undefined;
}

class Model {
  #now = 1_000_000_000;
  #serials = 0;
  #own = this.#issue(beginAfter(this.#now, {}));
  #row: Row = { inUse: this.#own, issued: this.#own };
  #backups: Row[] = [{ inUse: undefined, issued: this.#own }, this.#row];
  /** Issued, but not received by the fleetlet: lost, or given to a thief. */
  #others: CertificateMark[] = [];
  #refused: CertificateMark[] = [];

  renew({ skewMs: skew, isLost, afterMs }: { skewMs: number; isLost: boolean; afterMs: number }): void {
    this.#now += afterMs;
    this.show('renew');
    const { inUse, issued } = this.#row;
    const next = this.#issue(beginAfter(this.#now + skew - 300_000, { replaced: [inUse, this.#own], issued }));
    this.#row = { ...this.#row, issued: next };
    if (isLost) this.#others.push(next);
    else {
      this.#others.push(this.#own);
      this.#own = next;
      assert.equal(succession(next, this.#row.inUse), 'newer');
    }
  }

  show(how: 'connect' | 'renew'): void {
    const { inUse, issued } = this.#row;
    const order = succession(this.#own, inUse);
    assert.notEqual(order, 'superseded', 'the fleetlet is locked out');
    if (order === 'newer' || (how === 'renew' && inUse === undefined)) {
      this.#row = { issued, inUse: inUseFrom(this.#own, issued) };
      this.#refused.push(...this.#others.splice(0));
      this.#backups.push(this.#row);
    }
    if (this.#row.inUse === undefined) return;
    for (const other of this.#refused) assert.equal(succession(other, this.#row.inUse), 'superseded');
  }

  /**
   * The restored row knows nothing of later certificates: it can refuse only those older than what the fleetlet
   * presents.
   */
  restore(to: number): void {
    this.#row = this.#backups[to % this.#backups.length] ?? this.#row;
    const isOlder = ({ notBefore }: CertificateMark): boolean => notBefore <= this.#own.notBefore;
    this.#others = this.#others.filter(isOlder);
    this.#refused = this.#refused.filter(isOlder);
  }

  #issue(notBefore: number): CertificateMark {
    this.#serials += 1;
    return { serial: String(this.#serials), notBefore };
  }
}

test('the beginning of a certificate is in whole seconds, as the certificate says it', () => {
  fc.assert(
    fc.property(fc.nat(), fc.option(fc.nat(), { nil: undefined }), (earliest, last) => {
      const mark = last === undefined ? undefined : { serial: 'x', notBefore: last - (last % 1_000) };
      const begin = beginAfter(earliest, { replaced: [mark] });
      assert.equal(begin % 1_000, 0);
      assert.ok(mark === undefined || begin > mark.notBefore);
    }),
  );
});
