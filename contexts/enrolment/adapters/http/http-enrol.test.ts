import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createSigningRequest, issueAuthorityCertificate } from '#kit/pki';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { aMachine } from '../../testing/a-machine.ts';
import { DAY, startEnrolmentServer } from '../../testing/enrolment-server.ts';
import { EnrolmentStage } from '../../testing/enrolment-stage.ts';

const TOKENS = '/v1/workspaces/web/bootstrap-tokens';
const signal = new AbortController().signal;

eachDatabase('POST /v1/enroll', (fresh) => {
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

  describe('enrolling', () => {
    it('gives a certificate of the key for the fleetlet, and makes its targets', async () => {
      const machine = aMachine();
      const token = await stage.mint({ name: 'story', correlation: 'order-7' });
      await stage.api.events();
      const targets = [
        { name: 'story-1', type: 'directory' },
        { name: 'story-2', type: 'directory' },
      ];
      const { body } = await stage.enroll({ token, csr: machine.csr, targets }, 200);
      assert.equal(body.name, 'story-1');
      assert.deepEqual(
        body.targets.map(({ name }: { name: string }) => name),
        ['story-1', 'story-2'],
      );
      assert.match(body.endpoints.grpc, /:8702$/);
      const certificate = new X509Certificate(body.certificate);
      assert.ok(certificate.checkPrivateKey(machine.key));
      assert.ok(certificate.verify(new X509Certificate(body.ca).publicKey));
      assert.equal(certificate.subject, `CN=${body.fleetlet}`);
      assert.ok(certificate.subjectAltName?.includes(`URI:fleetshift://fleetlet/${body.fleetlet}`));
      assert.equal(certificate.validToDate.getTime(), stage.api.clock.now() + DAY);
      assert.deepEqual(await stage.labelsOf('story-2'), { 'fleetshift.io/correlation': 'order-7' });
      const shown = await stage.api.call('GET /v1/fleetlets/story-1', { want: 200 });
      assert.partialDeepStrictEqual(shown.body, {
        uid: body.fleetlet,
        workspace: 'web',
        state: 'Active',
        builtIn: false,
        targets: ['story-1', 'story-2'],
        certificate: { serial: certificate.serialNumber.toLowerCase() },
      });
      assert.deepEqual(await stage.api.events(), [
        'bootstrapToken.used workspaces/web/bootstrap-tokens/story',
        'fleetlet.created fleetlets/story-1',
      ]);
      assert.partialDeepStrictEqual(await stage.recognise(body.certificate), {
        kind: 'known',
        fleetlet: body.fleetlet,
      });
    });

    it('is answered again when the answer was lost, and is no second use', async () => {
      const [machine, target] = [aMachine(), stage.freshTarget()];
      const token = await stage.mint({ name: 'lost' });
      const request = { token, csr: machine.csr, targets: [target] };
      const first = await stage.enroll(request, 200);
      await stage.api.clock.advance(9 * 60_000);
      const second = await stage.enroll(request, 200);
      assert.deepEqual([second.body.fleetlet, second.body.targets], [first.body.fleetlet, first.body.targets]);
      assert.equal((await stage.recognise(second.body.certificate)).kind, 'known');
      assert.equal((await stage.api.call(`GET ${TOKENS}/lost`)).body.used, 1);
      const stolen = await stage.enroll({ ...request, csr: aMachine().csr }, 409);
      assert.equal(stolen.body.code, 'bootstrapTokenConsumed', 'whoever has another key is somebody else');
      const other = await stage.enroll({ ...request, targets: [stage.freshTarget()] }, 409);
      assert.equal(other.body.code, 'bootstrapTokenConsumed', 'nor is it the same for another target');
      await stage.api.clock.advance(2 * 60_000);
      assert.equal((await stage.enroll(request, 409)).body.code, 'bootstrapTokenConsumed', 'for ten minutes only');
    });

    it('leaves nothing when it is refused, or a dry run', async () => {
      const token = await stage.mint({ name: 'nothing' });
      const { target: taken } = await stage.enrolled();
      const free = stage.freshTarget();
      const refused = await stage.enroll({ token, csr: aMachine().csr, targets: [free, taken] }, 409);
      assert.equal(refused.body.code, 'targetClaimed');
      const request = { body: { token, csr: aMachine().csr, targets: [free] }, as: undefined, want: 200 };
      const dry = await stage.api.call('POST /v1/enroll?dryRun=true', request);
      assert.equal('certificate' in dry.body, false);
      assert.equal((await stage.api.call(`GET ${TOKENS}/nothing`)).body.used, 0);
      assert.equal(await stage.labelsOf(free.name), null);
    });

    const other = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
    for (const { why, csr } of [
      { why: 'no request', csr: () => 'nonsense' },
      {
        why: 'a certificate in place of one',
        csr: () => issueAuthorityCertificate({ name: 'x', key: other }, new Date(0), new Date(1)),
      },
      { why: 'one whose signature is of somebody else', csr: () => foreignSignature(aMachine().csr) },
      { why: 'a key that is too weak', csr: () => weak.export({ type: 'spki', format: 'pem' }).toString() },
    ]) {
      it(`refuses ${why}, and the token is as it was`, async () => {
        const token = await stage.mint({});
        const { body } = await stage.enroll({ token, csr: csr() }, 400);
        assert.deepEqual([body.code, body.faults[0].path], ['invalidEnrolment', '/csr']);
        await stage.enroll({ token, csr: aMachine().csr }, 200);
      });
    }

    it('takes keys of every kind that is taken', async () => {
      for (const key of [
        generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).privateKey,
        generateKeyPairSync('ed25519').privateKey,
        generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
      ]) {
        const { body } = await stage.enroll({ token: await stage.mint(), csr: createSigningRequest(key, 'x') }, 200);
        assert.ok(new X509Certificate(body.certificate).checkPrivateKey(key));
      }
    });

    it('claims what the token is for, and what nobody else has', async () => {
      const target = stage.freshTarget();
      const named = await stage.mint({ targets: [target.name], targetType: 'directory' });
      const claim = async (token: string, claimed: object) =>
        (await stage.enroll({ token, csr: aMachine().csr, targets: [claimed] })).body.code ?? 'enrolled';
      assert.equal(await claim(named, stage.freshTarget()), 'targetNotAllowed');
      assert.equal(await claim(named, { ...target, type: 'kubernetes' }), 'targetNotAllowed');
      assert.equal(await claim(named, target), 'enrolled');
      assert.equal(await claim(await stage.mint(), target), 'targetClaimed', 'somebody speaks for it');
      assert.equal(
        await claim(await stage.mint({ targets: [target.name] }), target),
        'enrolled',
        'a token that names it',
      );
      assert.equal(await claim(await stage.mint({}, 'emea'), target), 'targetClaimed', 'from another workspace');
      const twice = await stage.enroll({
        token: await stage.mint(),
        csr: aMachine().csr,
        targets: [stage.freshTarget(), target, target],
      });
      assert.deepEqual([twice.body.code, twice.body.faults[0].path], ['invalidEnrolment', '/targets/2/name']);
    });

    it('takes over a target whose fleetlet was revoked, or cannot come back', async () => {
      const { target, name } = await stage.enrolled();
      await stage.api.call(`POST /v1/fleetlets/${name}:revoke`, { want: 200 });
      const second = await stage.enrolled(aMachine(), target);
      assert.notEqual(second.name, name, 'by another name, as the first one is kept on record');
      await stage.api.clock.advance(31 * DAY);
      await stage.enrolled(aMachine(), target);
    });

    it('keeps nobody waiting for a target: a fleetlet may have none', async () => {
      const { body } = await stage.enroll({ token: await stage.mint(), csr: aMachine().csr }, 200);
      assert.deepEqual(body.targets, []);
      assert.match(body.name, /^fleetlet/);
    });
  });

  it('makes its first authority and its built-in fleetlet once, however often it starts', async () => {
    const second = await startEnrolmentServer(database, stage.api.clock);
    try {
      assert.equal(second.enrolment.embedded, stage.api.enrolment.embedded);
      assert.equal(await second.enrolment.authorities(signal), await stage.api.enrolment.authorities(signal));
    } finally {
      second.enrolment.close();
      await second.server.close(1_000);
    }
  });
});

/** The last bytes belong to the signature. */
function foreignSignature(csr: string): string {
  const lines = csr.trim().split('\n');
  const der = Buffer.from(lines.slice(1, -1).join(''), 'base64');
  der[der.length - 1] = (der[der.length - 1] ?? 0) ^ 1;
  return [lines[0], ...(der.toString('base64').match(/.{1,64}/g) ?? []), lines.at(-1), ''].join('\n');
}
