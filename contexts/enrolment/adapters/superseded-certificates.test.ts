import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { sql } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { aMachine, type Machine, tokenOf } from '../testing/a-machine.ts';
import { DAY, FakeSessions, startEnrolmentServer } from '../testing/enrolment-server.ts';
import { EnrolmentStage } from '../testing/enrolment-stage.ts';
import { CONNECT_AUDIENCE, RENEW_AUDIENCE } from './fleetlet-gate.ts';

const signal = new AbortController().signal;
const MINUTE = 60_000;
const SUPERSEDED = { kind: 'refused', reason: 'superseded' } as const;

/** A key with its certificate. */
interface Pair {
  readonly machine: Machine;
  readonly certificate: string;
}

eachDatabase('certificates that were replaced', (fresh) => {
  let database: TestDatabase;
  let stage: EnrolmentStage;
  before(async () => {
    database = await fresh();
    stage = await EnrolmentStage.open(database);
  });
  after(async () => {
    await stage.close();
    await database.dispose();
  });

  /** With a new key, as fleetlets do it. */
  async function renewedFrom({ machine, certificate }: Pair): Promise<Pair> {
    const next = aMachine();
    const { status, body } = await stage.renew(machine, certificate, next.csr);
    assert.equal(status, 200, JSON.stringify(body));
    return { machine: next, certificate: body.certificate };
  }

  async function kindOf({ certificate }: Pair): Promise<string> {
    const seen = await stage.recognise(certificate);
    return seen.kind === 'refused' ? seen.reason : seen.kind;
  }

  describe('once a newer certificate was used', () => {
    it('the older ones are neither let in nor renewed, whatever they are shown by', async () => {
      const first = await stage.enrolled();
      assert.equal(await kindOf(first), 'known');
      const second = await renewedFrom(first);
      assert.equal(await kindOf(first), 'known', 'while the new one was not used');
      assert.equal(await kindOf(second), 'known');
      assert.partialDeepStrictEqual(await stage.recognise(first.certificate), SUPERSEDED);
      const now = stage.api.clock.now();
      const text = await tokenOf(first.machine, first.certificate, { audience: CONNECT_AUDIENCE, now });
      assert.partialDeepStrictEqual(await stage.api.enrolment.recognise({ kind: 'token', text }, signal), SUPERSEDED);
      assert.equal(stage.api.enrolment.vouches(new X509Certificate(first.certificate).raw), false);
      const refused = await stage.renew(first.machine, first.certificate, aMachine().csr);
      assert.deepEqual([refused.status, refused.body.code], [401, 'certificateSuperseded']);
      await stage.api.clock.advance(DAY);
      const late = await stage.renew(first.machine, first.certificate, aMachine().csr);
      assert.equal(late.body.code, 'certificateSuperseded', 'nor within the grace');
      assert.equal(await kindOf(await renewedFrom(second)), 'known');
    });

    it('what was issued before that, though later than it, is refused as well', async () => {
      const first = await stage.enrolled();
      const second = await renewedFrom(first);
      await stage.api.clock.advance(10 * MINUTE);
      const copied = await renewedFrom(first);
      const seen = await stage.recognise(second.certificate);
      assert.equal(await kindOf(copied), 'superseded');
      assert.deepEqual(await stage.recognise(second.certificate), seen, 'its place is the same from its first use on');
      assert.equal(await kindOf(await renewedFrom(second)), 'known');
    });

    it('a renewal counts as a use, though the certificate never connected', async () => {
      const first = await stage.enrolled();
      const second = await renewedFrom(first);
      await renewedFrom(second);
      assert.equal((await stage.renew(first.machine, first.certificate)).body.code, 'certificateSuperseded');
    });

    it('the bootstrap token and the first key do not bring the first one back', async () => {
      const [machine, target] = [aMachine(), stage.freshTarget()];
      const request = { token: await stage.mint(), csr: machine.csr, targets: [target] };
      const { body } = await stage.enroll(request, 200);
      await renewedFrom({ machine, certificate: body.certificate });
      assert.equal((await stage.enroll(request, 409)).body.code, 'bootstrapTokenConsumed');
    });

    it('its session in another process is ended', async () => {
      const first = await stage.enrolled();
      const issuedAt = new X509Certificate(first.certificate).validFromDate.getTime();
      const sessions = new FakeSessions();
      sessions.open({ fleetlet: first.fleetlet, issuedAt, targets: [] });
      const stop = new AbortController();
      const running = Promise.all(stage.api.enrolment.runnables.map((runnable) => runnable.run(stop.signal)));
      stage.api.enrolment.watch(sessions);
      await kindOf(await renewedFrom(first));
      stage.api.enrolment.watch(sessions);
      await stage.until(() => sessions.ended.length > 0);
      assert.deepEqual(sessions.ended, [{ fleetlet: first.fleetlet, reason: 'superseded' }]);
      stop.abort();
      await running;
    });

    it('another process refuses the older one after half a minute, and renews it not even before', async () => {
      const first = await stage.enrolled();
      const other = await startEnrolmentServer(database, stage.api.clock);
      try {
        const der = new X509Certificate(first.certificate).raw;
        const seen = async () => await other.enrolment.recognise({ kind: 'certificate', der }, signal);
        assert.equal((await seen()).kind, 'known');
        const latest = await renewedFrom(first);
        await kindOf(latest);
        const bearer = await tokenOf(first.machine, first.certificate, {
          audience: RENEW_AUDIENCE,
          now: stage.api.clock.now(),
        });
        const { body } = await other.call('POST /v1/enroll:renew', { as: bearer, body: { csr: aMachine().csr } });
        assert.equal(body.code, 'certificateSuperseded');
        await stage.api.clock.advance(MINUTE / 2);
        assert.partialDeepStrictEqual(await seen(), SUPERSEDED);
        const second = await renewedFrom(latest);
        const third = await renewedFrom(second);
        assert.equal(await kindOf(second), 'known');
        const newest = { kind: 'certificate', der: new X509Certificate(third.certificate).raw } as const;
        assert.equal((await other.enrolment.recognise(newest, signal)).kind, 'known');
        await stage.api.clock.advance(MINUTE / 2);
        assert.equal(await kindOf(second), 'superseded', 'though this process wrote that it is in use');
      } finally {
        await other.close();
      }
    });
  });

  describe('a fleetlet is not locked out', () => {
    it('when answers to its renewals are lost', async () => {
      const first = await stage.enrolled();
      const lost = await renewedFrom(first);
      await renewedFrom(first);
      assert.equal(await kindOf(first), 'known');
      const got = await renewedFrom(first);
      assert.equal(await kindOf(got), 'known');
      assert.deepEqual([await kindOf(first), await kindOf(lost)], ['superseded', 'superseded']);
    });

    it('by a clock of the platform that was set back meanwhile', async () => {
      const first = await stage.enrolled();
      const now = stage.api.clock.now();
      stage.api.clock.set(now - 4 * MINUTE);
      const second = await renewedFrom(first);
      assert.equal(await kindOf(second), 'known');
      const third = await renewedFrom(second);
      assert.equal(await kindOf(third), 'known');
      assert.equal(await kindOf(second), 'superseded');
      stage.api.clock.set(now);
    });

    it('by a platform that was restored from before its renewals', async () => {
      const first = await stage.enrolled();
      const backup = await rowOf(first.fleetlet);
      await stage.api.clock.advance(MINUTE);
      const second = await renewedFrom(first);
      await kindOf(second);
      await restore(first.fleetlet, backup);
      const restored = await startEnrolmentServer(database, stage.api.clock);
      try {
        const seen = async ({ certificate }: Pair) => {
          const der = new X509Certificate(certificate).raw;
          return (await restored.enrolment.recognise({ kind: 'certificate', der }, signal)).kind;
        };
        assert.equal(await seen(first), 'known', 'it knows no better');
        const third = await renewedFrom(second);
        assert.deepEqual([await seen(second), await seen(third)], ['known', 'known']);
        assert.deepEqual([await seen(first), await seen(second)], ['refused', 'refused']);
      } finally {
        await restored.close();
      }
    });

    it('by an upgrade from a platform that did not know which certificate is in use', async () => {
      const first = await stage.enrolled();
      const second = await renewedFrom(first);
      await restore(first.fleetlet, { serial: null, notBefore: null });
      await stage.api.clock.advance(MINUTE);
      assert.deepEqual([await kindOf(second), await kindOf(first)], ['known', 'known']);
      const third = await renewedFrom(second);
      assert.equal((await stage.renew(first.machine, first.certificate)).body.code, 'certificateSuperseded');
      assert.equal(await kindOf(third), 'known');
    });
  });

  it('which one is in use is written once for each certificate, and not with each connection', async (t) => {
    const first = await stage.enrolled();
    const { mock } = t.mock.method(stage.api.storage, 'write');
    await kindOf(first);
    assert.equal(mock.callCount(), 0, 'the first one is in use from the enrolment on');
    const second = await renewedFrom(first);
    mock.resetCalls();
    for (let connection = 0; connection < 5; connection += 1) assert.equal(await kindOf(second), 'known');
    await stage.api.clock.advance(10 * MINUTE);
    await kindOf(second);
    assert.equal(mock.callCount(), 1);
    await kindOf(first);
    assert.equal(mock.callCount(), 1);
  });

  interface InUse {
    readonly [column: string]: string | number | null;
    readonly serial: string | null;
    readonly notBefore: number | null;
  }

  async function rowOf(fleetlet: string): Promise<InUse> {
    const row = await stage.api.storage.get<InUse>(
      sql`SELECT in_use_serial AS serial, in_use_not_before AS "notBefore" FROM enrolment_fleetlets WHERE uid = ${fleetlet}`,
      signal,
    );
    assert.ok(row);
    return row;
  }

  async function restore(fleetlet: string, { serial, notBefore }: InUse): Promise<void> {
    const update = sql`
      UPDATE enrolment_fleetlets SET in_use_serial = ${serial}, in_use_not_before = ${notBefore} WHERE uid = ${fleetlet}`;
    await stage.api.storage.write(async (tx) => await tx.run(update), signal);
  }
});
