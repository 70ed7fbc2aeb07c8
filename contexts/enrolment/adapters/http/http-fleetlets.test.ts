import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { aMachine } from '../../testing/a-machine.ts';
import { FakeSessions } from '../../testing/enrolment-server.ts';
import { EnrolmentStage } from '../../testing/enrolment-stage.ts';

const signal = new AbortController().signal;

eachDatabase('/v1/fleetlets', (fresh) => {
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

  describe('a fleetlet', () => {
    it('that is revoked is refused everywhere at once, and its session ends', async () => {
      const { machine, certificate, name, fleetlet, targets } = await stage.enrolled();
      const sessions = new FakeSessions();
      sessions.open({
        fleetlet,
        issuedAt: stage.api.clock.now(),
        targets: targets.map(({ uid }: { uid: string }) => uid),
      });
      const stop = new AbortController();
      const running = Promise.all(stage.api.enrolment.runnables.map((runnable) => runnable.run(stop.signal)));
      stage.api.enrolment.watch(sessions);
      assert.equal((await stage.recognise(certificate)).kind, 'known');
      await stage.api.call(`POST /v1/fleetlets/${name}:revoke?dryRun=true`, { want: 200 });
      assert.equal((await stage.recognise(certificate)).kind, 'known', 'a dry run ends nothing');
      await stage.api.events();
      const { body } = await stage.api.call(`POST /v1/fleetlets/${name}:revoke`, { want: 200 });
      assert.equal(body.state, 'Revoked');
      assert.deepEqual(await stage.api.events(), [`fleetlet.revoked fleetlets/${name}`]);
      assert.partialDeepStrictEqual(await stage.recognise(certificate), { kind: 'refused', reason: 'revoked' });
      const refused = await stage.renew(machine, certificate);
      assert.deepEqual([refused.status, refused.body.code], [403, 'fleetletRevoked']);
      await stage.until(() => sessions.ended.length > 0);
      assert.deepEqual(sessions.ended, [{ fleetlet, reason: 'revoked' }]);
      await stage.api.call(`POST /v1/fleetlets/${name}:revoke`, { want: 200 });
      assert.deepEqual(await stage.api.events(), [], 'once is enough');
      stop.abort();
      await running;
    });

    it('that is deleted is gone, and its certificate with it', async () => {
      const { certificate, name, target } = await stage.enrolled();
      await stage.api.call(`DELETE /v1/fleetlets/${name}`, { want: 204 });
      assert.equal((await stage.api.call(`GET /v1/fleetlets/${name}`, { want: 404 })).body.code, 'fleetletNotFound');
      assert.partialDeepStrictEqual(await stage.recognise(certificate), { kind: 'refused', reason: 'revoked' });
      await stage.enrolled(aMachine(), target);
    });

    it('speaks for what it is bound to, and for nothing else', async () => {
      const [one, two] = [await stage.enrolled(), await stage.enrolled()];
      const bound = async (fleetlet: string, name: string, type = 'directory') =>
        await stage.api.enrolment.boundTarget(fleetlet, { name, type }, signal);
      const [own] = one.targets;
      assert.deepEqual(await bound(one.fleetlet, one.target.name), { kind: 'bound', ...own, type: 'directory' });
      assert.partialDeepStrictEqual(await bound(one.fleetlet, two.target.name), {
        kind: 'refused',
        reason: 'notBound',
      });
      assert.partialDeepStrictEqual(await bound(one.fleetlet, one.target.name, 'kubernetes'), { reason: 'wrongType' });
      const binding = { body: { target: two.target.name } };
      const { body } = await stage.api.call(`POST /v1/fleetlets/${one.name}:bind`, { ...binding, want: 200 });
      assert.deepEqual(body.targets, [one.target.name, two.target.name].toSorted());
      const again = await stage.api.call(`POST /v1/fleetlets/${one.name}:bind`, { ...binding, want: 200 });
      assert.equal(again.body.etag, body.etag);
      assert.equal((await bound(one.fleetlet, two.target.name)).kind, 'bound');
      await stage.api.call(`POST /v1/fleetlets/${one.name}:unbind`, { ...binding, want: 200 });
      assert.equal((await bound(one.fleetlet, two.target.name)).kind, 'refused');
    });

    it('that lost a target has to come again', async () => {
      const { fleetlet, name, target, targets } = await stage.enrolled();
      const sessions = new FakeSessions();
      sessions.open({
        fleetlet,
        issuedAt: stage.api.clock.now(),
        targets: targets.map(({ uid }: { uid: string }) => uid),
      });
      const stop = new AbortController();
      const running = Promise.all(stage.api.enrolment.runnables.map((runnable) => runnable.run(stop.signal)));
      stage.api.enrolment.watch(sessions);
      await stage.api.call(`POST /v1/fleetlets/${name}:unbind`, { body: { target: target.name }, want: 200 });
      await stage.until(() => sessions.ended.length > 0);
      assert.deepEqual(sessions.ended, [{ fleetlet, reason: 'rebound' }]);
      stop.abort();
      await running;
    });

    it('is bound only to what is in its workspace or below', async () => {
      const { name } = await stage.enrolled();
      const elsewhere = stage.freshTarget();
      await stage.enroll({ token: await stage.mint({}, 'emea'), csr: aMachine().csr, targets: [elsewhere] }, 200);
      for (const target of [elsewhere.name, 'nobody']) {
        const { body } = await stage.api.call(`POST /v1/fleetlets/${name}:bind`, { body: { target }, want: 400 });
        assert.deepEqual([body.code, body.faults[0].path], ['noSuchTarget', '/target']);
      }
      await stage.api.call('POST /v1/fleetlets/platform:bind', { body: { target: elsewhere.name }, want: 200 });
    });

    it('of the platform is built in, and stays', async () => {
      const { body } = await stage.api.call('GET /v1/fleetlets/platform', { want: 200 });
      assert.partialDeepStrictEqual(body, { uid: stage.api.enrolment.embedded, builtIn: true, workspace: 'root' });
      for (const call of ['POST /v1/fleetlets/platform:revoke', 'DELETE /v1/fleetlets/platform']) {
        assert.equal((await stage.api.call(call, { want: 409 })).body.code, 'fleetletBuiltIn');
      }
    });

    it('is seen and changed by those who may, where it is', async () => {
      const hidden = await stage.enroll(
        { token: await stage.mint({}, 'hidden'), csr: aMachine().csr, targets: [stage.freshTarget()] },
        200,
      );
      const locked = await stage.enroll(
        { token: await stage.mint({}, 'locked'), csr: aMachine().csr, targets: [stage.freshTarget()] },
        200,
      );
      for (const verb of [':revoke', '']) {
        const method = verb === '' ? 'DELETE' : 'POST';
        const unseen = await stage.api.call(`${method} /v1/fleetlets/${hidden.body.name}${verb}`, { want: 404 });
        assert.equal(unseen.body.code, 'fleetletNotFound');
        await stage.api.call(`${method} /v1/fleetlets/${locked.body.name}${verb}`, { want: 403 });
      }
      await stage.api.call(`GET /v1/fleetlets/${hidden.body.name}`, { want: 404 });
      const names = async (as: string) =>
        (await stage.api.call('GET /v1/fleetlets?pageSize=1000', { as, want: 200 })).body.items.map(
          ({ workspace }: { workspace: string }) => workspace,
        );
      assert.deepEqual([...new Set(await names('sees.hidden'))], ['hidden']);
      assert.deepEqual(await names('sees.edge'), []);
      assert.ok((await names('root')).includes('web'));
    });

    it('is changed for those who know it as it is', async () => {
      const { name } = await stage.enrolled();
      const stale = { headers: { 'if-match': '"1-000000000000"' }, want: 412 };
      await stage.api.call(`POST /v1/fleetlets/${name}:revoke`, stale);
      await stage.api.call(`DELETE /v1/fleetlets/${name}`, stale);
    });
  });
});
