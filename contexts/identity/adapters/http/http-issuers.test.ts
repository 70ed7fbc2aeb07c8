import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { assertNowhere } from '../../testing/assert-nowhere.ts';
import { bearer, call } from '../../testing/call.ts';
import { ADMIN_TOKEN, type IdentityServer, startIdentityServer } from '../../testing/identity-server.ts';

const ISSUER = { name: 'corp', url: 'https://login.example.com', clientId: 'fleet', mode: 'isolated' };
const CONFIGURED = { name: 'house', url: 'https://house.example.com', clientId: 'fleet', mode: 'inherited' };

eachDatabase('issuers', (fresh) => {
  let database: TestDatabase;
  let running: IdentityServer;
  before(async () => {
    database = await fresh();
    running = await startIdentityServer(database, { issuers: [CONFIGURED] });
  });
  after(async () => {
    await running.close();
    await database.dispose();
  });
  const ask = (what: string, options: Parameters<typeof call>[2] = {}) => call(running.server, what, options);

  describe('issuers', () => {
    it('are created, read, changed and deleted, and never show their secret', async () => {
      const made = await ask('POST /v1/issuers', {
        body: { ...ISSUER, clientSecret: 'hush-hush-and-more-hush' },
        want: 201,
      });
      assert.equal(made.headers['location'], '/v1/issuers/corp');
      assert.partialDeepStrictEqual(made.body, {
        ...ISSUER,
        hasClientSecret: true,
        audiences: ['fleet'],
        scopes: ['openid', 'profile', 'email'],
        clockSkew: '30s',
        source: 'api',
      });
      const patch = { claims: { username: 'claims.email' }, cliClientId: 'cli' };
      const patched = await ask('PATCH /v1/issuers/corp', { body: patch, want: 200 });
      assert.deepEqual(patched.body.claims, {
        username: 'claims.email',
        groups: 'has(claims.groups) ? claims.groups : []',
      });
      assert.deepEqual(patched.body.audiences, ['fleet', 'cli']);
      assert.equal(patched.body.hasClientSecret, true, 'a patch that does not name the secret keeps it');
      assert.equal((await ask('GET /v1/issuers/corp')).body.etag, patched.body.etag);
      const listed = await ask('GET /v1/issuers?pageSize=1', { want: 200 });
      assert.deepEqual(
        listed.body.items.map(({ name }: { name: string }) => name),
        ['corp'],
      );
      const rest = await ask(`GET /v1/issuers?pageSize=1&pageToken=${listed.body.nextPageToken}`);
      assert.deepEqual(
        rest.body.items.map(({ name }: { name: string }) => name),
        ['house'],
      );
      const stale = { headers: { ...bearer(ADMIN_TOKEN), 'if-match': `"${made.body.etag}"` } };
      await ask('DELETE /v1/issuers/corp', { ...stale, want: 412 });
      assert.ok(!JSON.stringify([made, patched, listed]).includes('hush-hush-and-more-hush'));
      await assertNowhere(running.storage, 'hush-hush-and-more-hush');
      await ask('DELETE /v1/issuers/corp', { want: 204 });
      await ask('GET /v1/issuers/corp', { want: 404 });
    });

    for (const { why, body, code, at } of [
      {
        why: 'plain HTTP beyond this machine',
        body: { url: 'http://login.example.com' },
        code: 'invalidIssuer',
        at: '/url',
      },
      { why: 'an address with a query', body: { url: 'https://a.example?x=1' }, code: 'invalidIssuer', at: '/url' },
      { why: 'the name that logins come back to', body: { name: 'callback' }, code: 'invalidIssuer', at: '/name' },
      {
        why: 'an expression that is none',
        body: { claims: { username: 'claims.' } },
        code: 'invalidIssuer',
        at: '/claims/username',
      },
      {
        why: 'a name that is a number',
        body: { claims: { username: '1' } },
        code: 'invalidIssuer',
        at: '/claims/username',
      },
      {
        why: 'groups that are a text',
        body: { claims: { groups: '"a"' } },
        code: 'invalidIssuer',
        at: '/claims/groups',
      },
      {
        why: 'a regular expression',
        body: { claims: { username: 'claims.sub.matches("(a+)+") ? "a" : "b"' } },
        code: 'invalidIssuer',
        at: '/claims/username',
      },
      {
        why: 'shared groups of an isolated issuer',
        body: { claims: { sharedGroups: 'claims.groups' } },
        code: 'invalidIssuer',
        at: '/claims/sharedGroups',
      },
      { why: 'scopes without openid', body: { scopes: ['profile'] }, code: 'invalidIssuer', at: '/scopes' },
      { why: 'clocks that are far apart', body: { clockSkew: '1h' }, code: 'invalidIssuer', at: '/clockSkew' },
      { why: 'a name of the configuration', body: { name: 'house' }, code: 'issuerTaken', at: '/name' },
      {
        why: 'an address of the configuration, but for a slash',
        body: { url: `${CONFIGURED.url}/` },
        code: 'issuerTaken',
        at: '/url',
      },
    ]) {
      it(`are refused: ${why}`, async () => {
        const { status, body: problem } = await ask('POST /v1/issuers', { body: { ...ISSUER, ...body } });
        assert.deepEqual([problem.code, problem.faults?.[0]?.path], [code, at], JSON.stringify(problem));
        assert.equal(status, code === 'issuerTaken' ? 409 : 400);
      });
    }

    it('of the configuration are changed there alone', async () => {
      const { body } = await ask('GET /v1/issuers/house', { want: 200 });
      assert.equal(body.source, 'configuration');
      for (const what of ['PATCH', 'DELETE']) {
        const sent = what === 'PATCH' ? { body: { clientId: 'x' } } : {};
        const refused = await ask(`${what} /v1/issuers/house`, { ...sent, want: 409 });
        assert.equal(refused.body.code, 'issuerConfigured');
      }
    });
  });

  it('asks for a permission on every route, or is public on purpose', () => {
    const routes = running.server.routes().filter(({ path }) => !/^\/(healthz|readyz|metrics|openapi|docs)/.test(path));
    const open = routes
      .filter(({ permission }) => permission === 'public')
      .map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(open, [
      'GET /login',
      'GET /v1/login',
      'GET /v1/login/{issuer}',
      'GET /v1/login/callback',
      'POST /v1/login:redeem',
    ]);
  });
});
