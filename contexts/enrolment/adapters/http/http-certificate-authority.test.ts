import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, before, it } from 'node:test';
import { sql } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { aMachine } from '../../testing/a-machine.ts';
import { DAY, HOUR } from '../../testing/enrolment-server.ts';
import { EnrolmentStage } from '../../testing/enrolment-stage.ts';

const signal = new AbortController().signal;
const PATH = '/v1/certificate-authority';

eachDatabase(PATH, (fresh) => {
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

  const states = async (): Promise<string[]> =>
    (await stage.api.call(`GET ${PATH}`, { want: 200 })).body.authorities.map(({ state }: { state: string }) => state);
  const rotate = async (body: object, want = 200) => await stage.api.call(`POST ${PATH}:rotate`, { body, want });
  const bundled = async (): Promise<number> =>
    (await stage.api.enrolment.authorities(signal)).split('-----BEGIN CERTIFICATE-----').length - 1;

  it('begins with one that issues, whose key is sealed', async () => {
    const { body } = await stage.api.call(`GET ${PATH}`, { want: 200 });
    const [first] = body.authorities;
    assert.equal(first.state, 'Issuing');
    const certificate = new X509Certificate(first.certificate);
    assert.ok(certificate.ca);
    assert.equal(certificate.fingerprint256.replaceAll(':', '').toLowerCase(), first.fingerprint);
    assert.equal(body.bundle, first.certificate);
    const rows = JSON.stringify(await stage.api.storage.all(sql`SELECT * FROM enrolment_authorities`, signal));
    assert.ok(!rows.includes('PRIVATE KEY'));
    assert.ok(!JSON.stringify(body).includes('sealed'));
  });

  it('rotates: made known, then issues; what the old one issued is good until it ends, and renewed by the new one', async () => {
    const [old, away] = [await stage.enrolled(), await stage.enrolled()];
    await stage.api.events();
    await rotate({ lead: '1h' });
    assert.deepEqual(await states(), ['Issuing', 'Next']);
    assert.match((await stage.api.events()).join(), /^certificateAuthority.created certificate-authority\//);
    assert.equal(await bundled(), 2, 'fleetlets learn of it before anything is of it');
    assert.equal((await rotate({}, 409)).body.code, 'rotationUnderWay');
    assert.partialDeepStrictEqual(await stage.recognise(old.certificate), { kind: 'known', renewSoon: false });

    await stage.api.clock.advance(HOUR);
    assert.deepEqual(await states(), ['Trusted', 'Issuing']);
    assert.partialDeepStrictEqual(await stage.recognise(old.certificate), { kind: 'known', renewSoon: true });
    const renewed = await stage.renew(old.machine, old.certificate);
    assert.equal(renewed.status, 200, JSON.stringify(renewed.body));
    assert.partialDeepStrictEqual(await stage.recognise(renewed.body.certificate), { kind: 'known', renewSoon: false });
    const [, second] = (await stage.api.call(`GET ${PATH}`)).body.authorities;
    assert.ok(new X509Certificate(renewed.body.certificate).verify(new X509Certificate(second.certificate).publicKey));

    await stage.api.clock.advance(20 * DAY);
    assert.equal(
      (await stage.renew(away.machine, away.certificate)).status,
      200,
      'also for one that was away meanwhile',
    );
    await stage.api.clock.advance(11 * DAY);
    assert.deepEqual(await states(), ['Retired', 'Issuing']);
    assert.equal(await bundled(), 1);
  });

  it('rotates at once without overlap when a key is lost: nothing of the old one is good any more', async () => {
    const { certificate, machine } = await stage.enrolled();
    await rotate({ lead: '0s', overlap: '0s' });
    assert.deepEqual((await states()).slice(-2), ['Retired', 'Issuing']);
    const refused = await stage.recognise(certificate);
    assert.ok(refused.kind === 'refused' && refused.message.includes('retired'), JSON.stringify(refused));
    assert.equal((await stage.renew(machine, certificate)).body.code, 'certificateRefused');
    const next = await stage.enrolled(aMachine());
    assert.equal((await stage.recognise(next.certificate)).kind, 'known');
  });

  it('rotates nothing in a dry run, nor with a time that cannot be', async () => {
    const before = await states();
    await stage.api.call(`POST ${PATH}:rotate?dryRun=true`, { body: {}, want: 200 });
    const { body } = await rotate({ lead: '31d' }, 400);
    assert.deepEqual([body.code, body.faults[0].path], ['invalidRotation', '/lead']);
    assert.deepEqual(await states(), before);
  });

  it('gets a successor by itself, a year before its end', async () => {
    const before = await states();
    await stage.api.clock.advance(9 * 365 * DAY + DAY);
    const stop = new AbortController();
    const running = Promise.all(stage.api.enrolment.runnables.map((runnable) => runnable.run(stop.signal)));
    await stage.until(async () => (await states()).length > before.length);
    assert.equal((await states()).at(-1), 'Next');
    stop.abort();
    await running;
  });
});
