import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { issuePeerCertificate } from '#kit/pki';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { PATIENCE_MS } from '#testing/patience';
import { aMachine, tokenOf } from '../testing/a-machine.ts';
import { DAY, HOUR } from '../testing/enrolment-server.ts';
import { EnrolmentStage } from '../testing/enrolment-stage.ts';
import { CONNECT_AUDIENCE, RENEW_AUDIENCE } from './fleetlet-gate.ts';

const signal = new AbortController().signal;

eachDatabase('certificates of fleetlets', (fresh) => {
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

  describe('a certificate', () => {
    it('is renewed, with the same key or another, and counts no use', async () => {
      const { machine, certificate, fleetlet } = await stage.enrolled();
      const same = await stage.renew(machine, certificate);
      assert.equal(same.status, 200, JSON.stringify(same.body));
      const next = aMachine();
      const changed = await stage.renew(machine, same.body.certificate, next.csr);
      assert.equal(changed.body.fleetlet, fleetlet);
      assert.ok(new X509Certificate(changed.body.certificate).checkPrivateKey(next.key));
      assert.partialDeepStrictEqual(await stage.recognise(changed.body.certificate), { kind: 'known', fleetlet });
      assert.partialDeepStrictEqual(await stage.recognise(certificate), { kind: 'refused', reason: 'superseded' });
    });

    it('that has expired lets nobody in, and is renewed within the grace', async () => {
      const { machine, certificate } = await stage.enrolled();
      await stage.api.clock.advance(DAY);
      const expired = await stage.recognise(certificate);
      assert.ok(expired.kind === 'refused' && expired.message.includes('expired on'), JSON.stringify(expired));
      assert.equal((await stage.renew(machine, certificate)).status, 200);
      await stage.api.clock.advance(30 * DAY);
      const late = await stage.renew(machine, certificate);
      assert.deepEqual([late.status, late.body.code], [401, 'certificateRefused']);
    });

    it('is not taken before its time, which is told as a clock that is wrong', async () => {
      const { certificate } = await stage.enrolled();
      const now = stage.api.clock.now();
      stage.api.clock.set(now - HOUR);
      const early = await stage.recognise(certificate);
      assert.ok(early.kind === 'refused' && early.message.includes('clock'), JSON.stringify(early));
      stage.api.clock.set(now);
    });

    it('of another authority is of no use, whatever it says', async () => {
      const { fleetlet } = await stage.enrolled();
      const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
      const authority = { name: 'FleetShift fleetlets 00000000', key };
      const machine = aMachine();
      const now = stage.api.clock.now();
      const foreign = issuePeerCertificate(authority, {
        name: fleetlet,
        uri: `fleetshift://fleetlet/${fleetlet}`,
        dnsName: 'x.example',
        publicKey: new X509Certificate((await stage.enrolled(machine)).certificate).publicKey,
        notBefore: new Date(now - HOUR),
        notAfter: new Date(now + HOUR),
      });
      const seen = await stage.recognise(foreign);
      assert.ok(seen.kind === 'refused' && seen.message.includes('not issued by an authority'), JSON.stringify(seen));
      assert.equal((await stage.renew(machine, foreign)).body.code, 'certificateRefused');
      const altered = Buffer.from(new X509Certificate((await stage.enrolled()).certificate).raw);
      altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1;
      const forged = await stage.api.enrolment.recognise({ kind: 'certificate', der: altered }, signal);
      assert.ok(
        forged.kind === 'refused' && forged.message.includes('not issued by an authority'),
        JSON.stringify(forged),
      );
      const nonsense = await stage.api.enrolment.recognise(
        { kind: 'certificate', der: new Uint8Array([1, 2]) },
        signal,
      );
      assert.equal(nonsense.kind, 'refused');
    });

    it('speaks by a token too, once each, and for one purpose', async () => {
      const { machine, certificate, fleetlet } = await stage.enrolled();
      const now = stage.api.clock.now();
      const show = async (text: string) => await stage.api.enrolment.recognise({ kind: 'token', text }, signal);
      const token = await tokenOf(machine, certificate, { audience: CONNECT_AUDIENCE, now });
      assert.partialDeepStrictEqual(await show(token), { kind: 'known', fleetlet });
      assert.equal((await show(token)).kind, 'refused', 'a second time');
      for (const [why, text] of [
        ['for another purpose', await tokenOf(machine, certificate, { audience: RENEW_AUDIENCE, now })],
        ['signed by somebody else', await tokenOf(aMachine(), certificate, { audience: CONNECT_AUDIENCE, now })],
        ['long ago', await tokenOf(machine, certificate, { audience: CONNECT_AUDIENCE, now: now - HOUR })],
        ['from the future', await tokenOf(machine, certificate, { audience: CONNECT_AUDIENCE, now: now + HOUR })],
        ['no token', 'nonsense'],
      ] as const) {
        assert.equal((await show(text)).kind, 'refused', why);
      }
      const skewed = await tokenOf(machine, certificate, { audience: CONNECT_AUDIENCE, now: now + 4 * 60_000 });
      assert.equal((await show(skewed)).kind, 'known', 'by a clock that is a little ahead');
    });

    it('is vouched for while it is good, and not once its fleetlet was refused', async () => {
      const { certificate, name } = await stage.enrolled();
      const der = new X509Certificate(certificate).raw;
      const { enrolment, clock } = stage.api;
      await stage.recognise(certificate);
      assert.equal(enrolment.vouches(der), true);
      const now = clock.now();
      clock.set(now + DAY);
      assert.equal(enrolment.vouches(der), false, 'it has expired');
      clock.set(now);
      assert.equal(enrolment.vouches(foreignFor(aMachine(), now)), false, 'of another authority');
      assert.equal(enrolment.vouches(new Uint8Array([1, 2])), false, 'no certificate');
      await stage.api.call(`POST /v1/fleetlets/${name}:revoke`, { want: 200 });
      assert.equal((await stage.recognise(certificate)).kind, 'refused');
      assert.equal(enrolment.vouches(der), false, 'it was revoked');
    });

    it('that was revoked is not vouched for, however many strangers came before', {
      timeout: PATIENCE_MS,
    }, async () => {
      const { certificate, name } = await stage.enrolled();
      const now = stage.api.clock.now();
      await stage.api.call(`POST /v1/fleetlets/${name}:revoke`, { want: 200 });
      for (let count = 0; count <= 10_000; count += 1) {
        const der = Uint8Array.from([count >> 8, count & 255]);
        await stage.api.enrolment.recognise({ kind: 'certificate', der }, signal);
      }
      assert.equal(stage.api.clock.now(), now);
      assert.equal((await stage.recognise(certificate)).kind, 'refused');
      assert.equal(stage.api.enrolment.vouches(new X509Certificate(certificate).raw), false);
    });

    it('keeps what was used in spite of strangers who show the same', async () => {
      const { machine, certificate } = await stage.enrolled();
      const now = stage.api.clock.now();
      const show = async (text: string) => (await stage.api.enrolment.recognise({ kind: 'token', text }, signal)).kind;
      const id = 'an id that a stranger guessed';
      const [token, stranger] = [
        await tokenOf(machine, certificate, { audience: CONNECT_AUDIENCE, now, id }),
        aMachine(),
      ];
      const theirs = new X509Certificate(foreignFor(stranger, now)).toString();
      const forged = await tokenOf(stranger, theirs, { audience: CONNECT_AUDIENCE, now, id });
      assert.deepEqual([await show(forged), await show(token)], ['refused', 'known'], 'an id is not used up by others');
      assert.deepEqual([await show(forged), await show(token)], ['refused', 'refused']);
    });

    it('is not renewed without a word of its key', async () => {
      const { machine, certificate } = await stage.enrolled();
      const none = await stage.api.call('POST /v1/enroll:renew', { as: undefined, body: { csr: machine.csr } });
      assert.deepEqual([none.status, none.body.code], [401, 'certificateRefused']);
      const thief = aMachine();
      assert.equal((await stage.renew({ ...thief, csr: thief.csr }, certificate)).status, 401);
    });
  });
});

/** Has the shape of the platform's certificates, but is signed by a foreign authority. In DER. */
function foreignFor({ key }: ReturnType<typeof aMachine>, now: number): Buffer {
  const pem = issuePeerCertificate(
    { name: 'FleetShift fleetlets 00000000', key },
    {
      name: 'fleetlet',
      uri: 'fleetshift://fleetlet/fleetlet',
      dnsName: 'x.example',
      publicKey: createPublicKey(key),
      notBefore: new Date(now - HOUR),
      notAfter: new Date(now + HOUR),
    },
  );
  return new X509Certificate(pem).raw;
}
