import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import { bearer, call } from '../../testing/call.ts';
import { ADMIN_TOKEN, type IdentityServer, startIdentityServer } from '../../testing/identity-server.ts';

const signal = new AbortController().signal;
const ACCOUNTS = '/v1/workspaces/web/service-accounts';
const ME = 'GET /v1/access/identity';

eachDatabase('service accounts', (fresh, engine) => {
  const clock = new FakeClock();
  let database: TestDatabase;
  let running: IdentityServer;
  before(async () => {
    database = await fresh();
    running = await startIdentityServer(database, { clock, sleep: clock.sleep });
  });
  after(async () => {
    await running.close();
    await database.dispose();
  });
  const ask = (what: string, options: Parameters<typeof call>[2] = {}) => call(running.server, what, options);

  describe('service accounts', () => {
    const create = async (name: string) => await ask(`POST ${ACCOUNTS}`, { body: { name }, want: 201 });
    const mint = async (name: string, body: object = {}): Promise<{ name: string; token: string }> =>
      (await ask(`POST ${ACCOUNTS}/${name}/tokens`, { body, want: 201 })).body;
    const meBy = async (token: string) => await ask(ME, { headers: bearer(token) });

    it('are created in a workspace that is there, once', async () => {
      const made = await ask(`POST ${ACCOUNTS}`, { body: { name: 'ci', labels: { team: 'a' } }, want: 201 });
      assert.partialDeepStrictEqual(made.body, {
        name: 'ci',
        workspace: 'web',
        disabled: false,
        labels: { team: 'a' },
      });
      const again = await ask(`POST ${ACCOUNTS}`, { body: { name: 'ci' }, want: 409 });
      assert.equal(again.body.code, 'serviceAccountTaken');
      await ask('POST /v1/workspaces/nowhere/service-accounts', { body: { name: 'ci' }, want: 404 });
      await ask('GET /v1/workspaces/other/service-accounts/ci', { want: 404 });
      assert.equal((await ask(`GET ${ACCOUNTS}?filter=labels.team=='a'`)).body.items.length, 1);
    });

    it('are known by their tokens, within their scope', async () => {
      await create('scoped');
      const plain = await mint('scoped');
      assert.match(plain.token, /^fst_[a-z2-7]{16}_[\w-]{43}$/);
      const me = { kind: 'serviceAccount', id: 'web/scoped', groups: [], instanceAdmin: false };
      assert.deepEqual((await meBy(plain.token)).body, me);
      const scope = { within: 'workspaces/web', roles: ['viewer'] };
      const narrow = await mint('scoped', { scope });
      assert.deepEqual((await meBy(narrow.token)).body, { ...me, ...scope });
      const listed = await ask(`GET ${ACCOUNTS}/scoped/tokens`, { want: 200 });
      assert.equal(listed.body.items.length, 2);
      assert.ok(!JSON.stringify(listed.body).includes(plain.token.slice(21)), 'the secret is not shown again');
    });

    it('show a token once: the same request again is refused', async () => {
      await create('once');
      const headers = { ...bearer(ADMIN_TOKEN), 'idempotency-key': 'k1' };
      await ask(`POST ${ACCOUNTS}/once/tokens`, { body: {}, headers, want: 201 });
      const again = await ask(`POST ${ACCOUNTS}/once/tokens`, { body: {}, headers, want: 409 });
      assert.equal(again.body.code, 'secretAlreadyShown');
    });

    for (const { why, forge } of [
      { why: 'another secret', forge: (token: string) => `${token.slice(0, 21)}${'A'.repeat(43)}` },
      { why: 'another id', forge: (token: string) => `fst_${'a'.repeat(16)}${token.slice(20)}` },
      { why: 'a part of it', forge: (token: string) => token.slice(0, -1) },
      { why: 'more than it', forge: (token: string) => `${token}A` },
      { why: 'the secret alone', forge: (token: string) => token.slice(21) },
    ]) {
      it(`are not known by ${why}`, async () => {
        await ask(`POST ${ACCOUNTS}`, { body: { name: 'forged' } });
        const { token } = await mint('forged');
        assert.equal((await meBy(forge(token))).status, 401);
        assert.equal((await meBy(token)).status, 200);
      });
    }

    it('end with their time', async () => {
      await create('short');
      const { token } = await mint('short', { ttl: '1h' });
      await clock.advance(3_599_000);
      assert.equal((await meBy(token)).status, 200);
      await clock.advance(1_000);
      assert.equal((await meBy(token)).status, 401);
      const { body } = await ask(`POST ${ACCOUNTS}/short/tokens`, { body: { ttl: '366d' }, want: 400 });
      assert.deepEqual([body.code, body.faults[0].path], ['invalidTokenRequest', '/ttl']);
    });

    it('end at once: a token that is revoked, an account that is disabled or deleted', async () => {
      await create('ended');
      const [one, two] = [await mint('ended'), await mint('ended')];
      assert.deepEqual([(await meBy(one.token)).status, (await meBy(two.token)).status], [200, 200]);
      await ask(`DELETE ${ACCOUNTS}/ended/tokens/${one.name}`, { want: 204 });
      assert.deepEqual([(await meBy(one.token)).status, (await meBy(two.token)).status], [401, 200]);
      await ask(`PATCH ${ACCOUNTS}/ended`, { body: { disabled: true }, want: 200 });
      assert.equal((await meBy(two.token)).status, 401);
      await ask(`PATCH ${ACCOUNTS}/ended`, { body: { disabled: false }, want: 200 });
      assert.equal((await meBy(two.token)).status, 200);
      await ask(`DELETE ${ACCOUNTS}/ended`, { want: 204 });
      assert.equal((await meBy(two.token)).status, 401);
    });

    it('rotate their tokens with an overlap, and each once', async () => {
      await create('rotated');
      const old = await mint('rotated', { ttl: '30d', scope: { roles: ['viewer'] } });
      const path = `${ACCOUNTS}/rotated/tokens/${old.name}`;
      const next = await ask(`POST ${path}:rotate`, { body: { overlap: '1h' }, want: 201 });
      assert.deepEqual(next.body.scope, { roles: ['viewer'] });
      assert.deepEqual([(await meBy(old.token)).status, (await meBy(next.body.token)).status], [200, 200]);
      assert.equal((await ask(`GET ${path}`)).body.rotatedTo, next.body.name);
      assert.equal((await ask(`POST ${path}:rotate`, { body: {}, want: 409 })).body.code, 'tokenEnded');
      await clock.advance(3_600_000);
      assert.deepEqual([(await meBy(old.token)).status, (await meBy(next.body.token)).status], [401, 200]);
      const last = await ask(`POST ${ACCOUNTS}/rotated/tokens/${next.body.name}:rotate`, { body: {}, want: 201 });
      assert.deepEqual([(await meBy(next.body.token)).status, (await meBy(last.body.token)).status], [401, 200]);
    });

    describe('whose token is narrowed', () => {
      const WITHIN = 'workspaces/web';
      const SCOPE = { within: WITHIN, roles: ['viewer'] } as const;
      let own: string;
      before(async () => {
        await create('narrow');
        own = (await mint('narrow', { scope: SCOPE })).token;
      });
      const asItself = async (path: string, body: object) =>
        await ask(`POST ${ACCOUNTS}/narrow/tokens${path}`, { body, headers: bearer(own) });

      it('make others that are as narrow, unless they ask for less', async () => {
        const made = await asItself('', {});
        assert.equal(made.status, 201, JSON.stringify(made.body));
        assert.deepEqual(made.body.scope, SCOPE);
        assert.partialDeepStrictEqual((await meBy(made.body.token)).body, SCOPE, 'and it is taken for no more');
        assert.deepEqual((await asItself('', { scope: { within: WITHIN } })).body.scope, SCOPE);
        assert.deepEqual((await asItself('', { scope: { roles: ['viewer'] } })).body.scope, SCOPE);
      });

      for (const { why, scope, path } of [
        { why: 'another workspace', scope: { within: 'workspaces/other' }, path: '/scope/within' },
        { why: 'the whole tree', scope: { within: 'workspaces/root' }, path: '/scope/within' },
        { why: 'another role', scope: { roles: ['admin'] }, path: '/scope/roles' },
        { why: 'one more role', scope: { roles: ['viewer', 'deployer'] }, path: '/scope/roles' },
      ]) {
        it(`make none for ${why}`, async () => {
          const { status, body } = await asItself('', { scope });
          assert.deepEqual([status, body.code, body.faults?.[0]?.path], [403, 'scopeExceeded', path]);
        });
      }

      it('rotate a wider one to one that is as narrow as themselves', async () => {
        const wide = await mint('narrow');
        const next = await asItself(`/${wide.name}:rotate`, {});
        assert.equal(next.status, 201, JSON.stringify(next.body));
        assert.deepEqual(next.body.scope, SCOPE);
        assert.partialDeepStrictEqual((await meBy(next.body.token)).body, SCOPE, 'and it is taken for no more');
      });

      for (const { why, scope, path } of [
        { why: 'another workspace', scope: { within: 'workspaces/other' }, path: '/scope/within' },
        { why: 'another role', scope: { roles: ['admin'] }, path: '/scope/roles' },
      ]) {
        it(`rotate none of ${why}, and leave it as it is`, async () => {
          const other = await mint('narrow', { scope });
          const { status, body } = await asItself(`/${other.name}:rotate`, {});
          assert.deepEqual([status, body.code, body.faults?.[0]?.path], [403, 'scopeExceeded', path]);
          assert.equal((await meBy(other.token)).status, 200);
        });
      }
    });

    it('are noted as used once a minute, and not with each request', async () => {
      await create('used');
      const { token, name } = await mint('used');
      const stop = new AbortController();
      const upkeep = running.identity.upkeep.run(stop.signal);
      await clock.untilSleeping();
      const began = clock.now();
      for (let time = 0; time < 3; time += 1) await meBy(token);
      await clock.advance(10_000);
      await clock.untilSleeping();
      const used = async () => (await ask(`GET ${ACCOUNTS}/used/tokens/${name}`)).body.lastUsedTime;
      await until(async () => (await used()) === new Date(began).toISOString());
      await meBy(token);
      await clock.advance(10_000);
      await clock.untilSleeping();
      assert.equal(await used(), new Date(began).toISOString());
      await clock.advance(60_000);
      const later = clock.now();
      await meBy(token);
      stop.abort();
      await upkeep;
      assert.equal(await used(), new Date(later).toISOString(), 'what was noted is written at the end');
    });

    it('end in other processes too', {
      skip: engine === 'sqlite' && 'a SQLite file belongs to one process',
    }, async () => {
      const other = await startIdentityServer(database, { clock });
      try {
        await create('shared');
        const { token, name } = await mint('shared');
        const there = async () => (await call(other.server, ME, { headers: bearer(token) })).status;
        assert.equal(await there(), 200);
        await ask(`DELETE ${ACCOUNTS}/shared/tokens/${name}`, { want: 204 });
        // The clock stands still, so only the announcement can have emptied the cache.
        await until(async () => (await there()) === 401);
      } finally {
        await other.close();
      }
    });
  });
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) {
    signal.throwIfAborted();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
