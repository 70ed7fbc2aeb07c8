import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { FILE_MS } from '#testing/patience';
import { aMachine } from '../../testing/a-machine.ts';
import { HOUR } from '../../testing/enrolment-server.ts';
import { EnrolmentStage } from '../../testing/enrolment-stage.ts';

const TOKENS = '/v1/workspaces/web/bootstrap-tokens';
const signal = AbortSignal.timeout(FILE_MS);

eachDatabase('bootstrap tokens', (fresh) => {
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

  describe('a bootstrap token', () => {
    it('is shown once, and never kept', async () => {
      await stage.api.events();
      const minted = await stage.api.call(`POST ${TOKENS}`, { body: { name: 'once', uses: 3, ttl: '2h' }, want: 201 });
      assert.match(minted.body.token, /^fsb_[a-z2-7]{16}_/);
      assert.equal(minted.headers['location'], `${TOKENS}/once`);
      const { body } = await stage.api.call(`GET ${TOKENS}/once`, { want: 200 });
      const { createTime, expireTime, ...rest } = body;
      assert.deepEqual(rest, { name: 'once', workspace: 'web', status: 'active', uses: 3, used: 0, targets: [] });
      assert.equal(Date.parse(expireTime) - Date.parse(createTime), 2 * HOUR);
      const secret: string = minted.body.token.split('_').slice(2).join('_');
      for (const table of ['enrolment_tokens', 'outbox', 'http_idempotency']) {
        const rows = JSON.stringify(await stage.api.storage.all(sql`SELECT * FROM ${sql.raw(table)}`, signal));
        assert.ok(!rows.includes(secret), table);
      }
      assert.deepEqual(await stage.api.events(), ['bootstrapToken.created workspaces/web/bootstrap-tokens/once']);
    });

    it('is not shown to a repetition, nor made by a dry run', async () => {
      const headers = { 'idempotency-key': 'k1' };
      await stage.api.call(`POST ${TOKENS}`, { body: { name: 'key' }, headers, want: 201 });
      const again = await stage.api.call(`POST ${TOKENS}`, { body: { name: 'key' }, headers, want: 409 });
      assert.equal(again.body.code, 'secretAlreadyShown');
      await stage.api.call(`POST ${TOKENS}?dryRun=true`, { body: { name: 'dry' }, want: 201 });
      assert.equal((await stage.api.call(`GET ${TOKENS}/dry`, { want: 404 })).body.code, 'bootstrapTokenNotFound');
    });

    for (const { why, body, code, path } of [
      { why: 'lives too long', body: { ttl: '31d' }, code: 'invalidBootstrapToken', path: '/ttl' },
      { why: 'lives for no time', body: { ttl: '0s' }, code: 'invalidBootstrapToken', path: '/ttl' },
      { why: 'is for nobody', body: { uses: 0 }, code: 'validationFailed', path: '/uses' },
      { why: 'has a name that is taken', body: { name: 'taken' }, code: 'bootstrapTokenTaken', path: '/name' },
      { why: 'says what nobody knows', body: { target: 'x' }, code: 'validationFailed', path: '/target' },
      { why: 'correlates by no label', body: { correlation: 'a b' }, code: 'validationFailed', path: '/correlation' },
    ]) {
      it(`is refused when it ${why}`, async () => {
        if (code === 'bootstrapTokenTaken') await stage.mint({ name: 'taken' });
        const refused = await stage.api.call(`POST ${TOKENS}`, { body });
        assert.deepEqual([refused.body.code, refused.body.faults[0].path], [code, path]);
      });
    }

    it('is listed page by page, and with a filter', async () => {
      for (const name of ['l1', 'l2', 'l3']) await stage.mint({ name, correlation: 'listed' }, 'emea');
      const all = '/v1/workspaces/emea/bootstrap-tokens';
      const page = await stage.api.call(`GET ${all}?pageSize=2`, { want: 200 });
      const rest = await stage.api.call(`GET ${all}?pageSize=2&pageToken=${page.body.nextPageToken}`, { want: 200 });
      const names = [...page.body.items, ...rest.body.items].map(({ name }: { name: string }) => name);
      assert.deepEqual(names, ['l1', 'l2', 'l3']);
      const filtered = await stage.api.call(`GET ${all}?filter=${encodeURIComponent('name == "l2"')}`, { want: 200 });
      assert.deepEqual(
        filtered.body.items.map(({ name }: { name: string }) => name),
        ['l2'],
      );
    });

    it('enrols nobody any more once it was revoked', async () => {
      const token = await stage.mint({ name: 'revoked' });
      await stage.api.call(`DELETE ${TOKENS}/revoked`, { want: 204 });
      const { body } = await stage.enroll({ token, csr: aMachine().csr }, 401);
      assert.equal(body.code, 'bootstrapTokenRefused');
    });

    it('enrols nobody after its time', async () => {
      const token = await stage.mint({ ttl: '1m' });
      await stage.api.clock.advance(60_000);
      assert.equal((await stage.enroll({ token, csr: aMachine().csr }, 401)).body.code, 'bootstrapTokenExpired');
    });

    it('counts its uses, whoever comes at the same time', async () => {
      const token = await stage.mint({ name: 'counted', uses: 3 });
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => stage.enroll({ token, csr: aMachine().csr, targets: [stage.freshTarget()] })),
      );
      const codes = answers.map(({ status, body }) => (status === 200 ? 'enrolled' : body.code));
      assert.equal(codes.filter((code) => code === 'enrolled').length, 3, codes.join());
      assert.equal(codes.filter((code) => code === 'bootstrapTokenConsumed').length, 17, codes.join());
      const { body } = await stage.api.call(`GET ${TOKENS}/counted`, { want: 200 });
      assert.deepEqual([body.used, body.status], [3, 'consumed']);
      const names = answers.flatMap(({ body: { targets } }) => targets ?? []);
      assert.equal(names.length, 3, 'and nobody else left a target');
    });
  });
});
