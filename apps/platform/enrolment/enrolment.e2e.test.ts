import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { RENEW_AUDIENCE } from '#contexts/enrolment/adapters';
import type { Engine } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { aMachine, tokenOf } from '../../../contexts/enrolment/testing/a-machine.ts';
import { eventually } from '../../../kit/durable/testing/eventually.ts';

for (const engine of DATABASES) {
  describe(`a machine and a platform, on ${engine}`, () => {
    it('enrols, is known to everybody at once, and keeps its certificate fresh', async (t) => {
      const { platform } = await started(t, engine);
      await ask(platform, 'POST /v1/workspaces', { name: 'edge' }, 201);
      const { token } = await ask(
        platform,
        'POST /v1/workspaces/edge/bootstrap-tokens',
        { targets: ['shop-7'], correlation: 'order-7' },
        201,
      );
      const machine = aMachine();
      const targets = [{ name: 'shop-7', type: 'directory' }];
      const enrolled = await ask(platform, 'POST /v1/enroll', { token, csr: machine.csr, targets }, 200);
      const target = await ask(platform, 'GET /v1/targets/shop-7', undefined, 200);
      assert.equal(target.uid, enrolled.targets[0].uid);
      assert.deepEqual(target.labels, { 'fleetshift.io/correlation': 'order-7' });
      assert.match(enrolled.endpoints.websocket, /^wss:\/\/127\.0\.0\.1:\d+\/v1\/fleetlet$/);
      assert.ok(new X509Certificate(enrolled.serverCa).ca, 'what a client of the TLS listener has to trust');

      const bearer = await tokenOf(machine, enrolled.certificate, { audience: RENEW_AUDIENCE, now: Date.now() });
      const renewed = await renew(platform, bearer, machine.csr);
      assert.equal(renewed.status, 200);
      assert.equal((await renew(platform, bearer, machine.csr)).status, 401, 'a token is good once');
      const third = aMachine();
      const next = { audience: RENEW_AUDIENCE, now: Date.now() };
      const newer = await renew(platform, await tokenOf(machine, renewed.body.certificate ?? '', next), third.csr);
      assert.equal(newer.status, 200);
      const superseded = await renew(platform, await tokenOf(machine, enrolled.certificate, next), machine.csr);
      assert.deepEqual([superseded.status, superseded.body.code], [401, 'certificateSuperseded']);
      await ask(platform, 'POST /v1/fleetlets/shop-7:revoke', undefined, 200);
      const again = await tokenOf(machine, enrolled.certificate, { audience: RENEW_AUDIENCE, now: Date.now() });
      const refused = await renew(platform, again, machine.csr);
      assert.deepEqual([refused.status, refused.body.code], [403, 'fleetletRevoked']);
      assert.equal((await ask(platform, 'POST /v1/enroll', { token, csr: aMachine().csr }, 409)).code, CONSUMED);
      assert.ok(!platform.said().includes(token), 'the token is in no log');
      const operations = await eventually('the audit to have it where it happened', async () => {
        const { items } = await ask(platform, 'GET /v1/audit?workspace=edge', undefined, 200);
        const done = items.map(({ operation }: { operation: string }) => operation);
        return done.includes('revokeFleetlet') ? done : undefined;
      });
      assert.ok(operations.includes('enroll') && operations.includes('renewFleetletCertificate'), operations.join());
    });

    it('has one enrolment when the platform dies before it has answered, and the machine asks again', async (t) => {
      const { home, platform: first } = await started(t, engine);
      const made = await ask(first, 'POST /v1/workspaces/root/bootstrap-tokens', { name: 'once' }, 201);
      const machine = aMachine();
      const request = { token: made.token, csr: machine.csr, targets: [{ name: 'lost', type: 'directory' }] };
      const authority = await ask(first, 'GET /v1/certificate-authority', undefined, 200);
      const before = await ask(first, 'POST /v1/enroll', request, 200);
      await first.kill();

      const platform = await home.start();
      const after = await ask(platform, 'POST /v1/enroll', request, 200);
      assert.deepEqual([after.fleetlet, after.targets], [before.fleetlet, before.targets]);
      const { used } = await ask(platform, 'GET /v1/workspaces/root/bootstrap-tokens/once', undefined, 200);
      assert.equal(used, 1);
      assert.deepEqual(await ask(platform, 'GET /v1/certificate-authority', undefined, 200), authority);
      assert.ok(
        new X509Certificate(after.certificate).verify(new X509Certificate(authority.bundle).publicKey),
        'the key of the authority is opened again',
      );
    });

    it('goes with what it is in', async (t) => {
      const { platform } = await started(t, engine);
      await ask(platform, 'POST /v1/workspaces', { name: 'edge' }, 201);
      const { token } = await ask(platform, 'POST /v1/workspaces/edge/bootstrap-tokens', { uses: 2 }, 201);
      const targets = [{ name: 'shop-1', type: 'directory' }];
      await ask(platform, 'POST /v1/enroll', { token, csr: aMachine().csr, targets }, 200);
      await ask(platform, 'DELETE /v1/targets/shop-1', undefined, 204);
      assert.deepEqual((await ask(platform, 'GET /v1/fleetlets/shop-1', undefined, 200)).targets, []);
      const inTheWay = await ask(platform, 'DELETE /v1/workspaces/edge', undefined, 409);
      assert.match(inTheWay.detail, /fleetlet/);
      await ask(platform, 'DELETE /v1/fleetlets/shop-1', undefined, 204);
      await ask(platform, 'DELETE /v1/workspaces/edge', undefined, 204);
      const { code } = await ask(platform, 'POST /v1/enroll', { token, csr: aMachine().csr }, 401);
      assert.equal(code, 'bootstrapTokenRefused', 'a token is of no use without its workspace');
    });
  });
}

const CONSUMED = 'bootstrapTokenConsumed';

async function started(t: TestContext, engine: Engine): Promise<{ home: PlatformHome; platform: Platform }> {
  const home = await platformHome(engine);
  t.after(() => home.dispose());
  return { home, platform: await home.start() };
}

// oxlint-disable-next-line typescript/no-explicit-any -- A test looks into answers whose shape it is about to prove.
async function ask(platform: Platform, what: string, body: object | undefined, want: number): Promise<any> {
  const [method = 'GET', path = '/'] = what.split(' ');
  const answer = await platform.request(path, { method, ...(body === undefined ? {} : { body }) });
  const text = await answer.text();
  assert.equal(answer.status, want, `${what}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

async function renew(platform: Platform, bearer: string, csr: string) {
  const headers = { authorization: `Bearer ${bearer}` };
  const answer = await platform.request('/v1/enroll:renew', { method: 'POST', headers, body: { csr } });
  return { status: answer.status, body: (await answer.json()) as { code?: string; certificate?: string } };
}
