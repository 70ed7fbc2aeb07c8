import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { type AccessRequest, defineRoute, type HttpServer, ok } from '../index.ts';
import { getRoute, postRoute } from '../testing/small-routes.ts';
import { AS_ALICE, type TestServerOptions, testServer } from '../testing/test-server.ts';

const AS_NOBODY = { authorization: 'Bearer nobody' };
const BROKEN = { payload: '{"broken', headers: { 'content-type': 'application/json' } };

const named = defineRoute({
  method: 'GET',
  path: '/v1/named/{name}',
  operationId: 'getNamed',
  summary: 'Get it',
  permission: 'x.get',
  schema: { params: Type.Object({ name: Type.String() }), responses: { 200: Type.String() } },
  handler: async ({ params }) => ok(params.name),
});

async function withServer(options: TestServerOptions, body: (server: HttpServer, calls: string[]) => Promise<void>) {
  const calls: string[] = [];
  const routes = [
    getRoute('/v1/open', () => 'everybody', 'public'),
    getRoute('/v1/closed', () => calls.push('get')),
    postRoute('/v1/closed', () => calls.push('post')),
    named,
  ];
  const { server } = await testServer(routes, options);
  try {
    await body(server, calls);
  } finally {
    await server.close(1000);
  }
}

describe('admission', () => {
  it('tells nothing to whoever has no credentials: not even that the body is broken', () =>
    withServer({}, async (server, calls) => {
      const answer = await server.inject({ method: 'POST', url: '/v1/closed?nope=1', ...BROKEN });
      assert.equal(answer.statusCode, 401);
      assert.equal(answer.json().code, 'unauthenticated');
      assert.equal(answer.json().faults, undefined);
      assert.equal(answer.headers['www-authenticate'], 'Bearer realm="things"');
      assert.deepEqual(calls, []);
    }));

  it('says that a token is not known, as RFC 6750 does', () =>
    withServer({}, async (server) => {
      const answer = await server.inject({ url: '/v1/closed', headers: AS_NOBODY });
      assert.equal(answer.statusCode, 401);
      assert.equal(answer.headers['www-authenticate'], 'Bearer realm="things", error="invalid_token"');
      const basic = await server.inject({ url: '/v1/closed', headers: { authorization: 'Basic YTpi' } });
      assert.equal(basic.headers['www-authenticate'], 'Bearer realm="things"');
    }));

  it('tells whoever may not do it only that', () =>
    withServer({ allow: (_principal, permission) => permission === 'x.get' }, async (server, calls) => {
      const { payload, headers } = BROKEN;
      const answer = await server.inject({
        method: 'POST',
        url: '/v1/closed',
        payload,
        headers: { ...headers, ...AS_ALICE },
      });
      assert.equal(answer.statusCode, 403);
      assert.deepEqual([answer.json().code, answer.json().permission], ['permissionDenied', 'x.post']);
      assert.equal((await server.inject({ url: '/v1/closed', headers: AS_ALICE })).statusCode, 200);
      assert.deepEqual(calls, ['get']);
    }));

  it('asks the authorizer with the operation and what stands in the path', async () => {
    const asked: AccessRequest[] = [];
    const authorizer = { allow: async (access: AccessRequest) => asked.push(access) > 0 };
    const { server } = await testServer([named], { authorizer });
    await server.inject({ url: '/v1/named/a%20b', headers: AS_ALICE });
    const principal = { kind: 'user', id: 'alice' };
    const params = { name: 'a b' };
    assert.deepEqual(asked, [{ principal, permission: 'x.get', operationId: 'getNamed', params, reach: 'path' }]);
    await server.close(1000);
  });

  it('asks nobody about a public route', () =>
    withServer({ allow: () => false }, async (server) => {
      assert.equal((await server.inject({ url: '/v1/open' })).statusCode, 200);
      assert.equal((await server.inject({ url: '/v1/open', headers: AS_NOBODY })).statusCode, 200);
    }));

  it('does not take an authenticator that cannot tell for a no', () =>
    withServer({ authenticator: { authenticate: () => Promise.reject(new Error('away')) } }, async (server) => {
      assert.equal((await server.inject({ url: '/v1/closed', headers: AS_ALICE })).statusCode, 500);
    }));

  it('knows what is not there from what is there for another method', () =>
    withServer({}, async (server) => {
      const proxied = await server.inject({ url: 'http://x/v1/nope' });
      assert.deepEqual([proxied.statusCode, proxied.json().instance], [404, '/v1/nope']);
      const missing = await server.inject({ method: 'POST', url: '/v1/nope', ...BROKEN });
      assert.equal(missing.statusCode, 404);
      assert.equal(missing.json().code, 'routeNotFound');
      for (const method of ['DELETE', 'PATCH', 'OPTIONS', 'TRACE'] as const) {
        const wrong = await server.inject({ method, url: '/v1/closed', headers: AS_ALICE });
        assert.equal(wrong.statusCode, 405, method);
        assert.equal(wrong.json().code, 'methodNotAllowed');
        assert.equal(wrong.headers['allow'], 'GET, HEAD, POST');
      }
    }));

  it('refuses what it would have to ignore', () =>
    withServer({}, async (server, calls) => {
      const payload = { text: 'x' };
      for (const [path, request] of [
        ['header/if-match', { method: 'POST', payload, headers: { ...AS_ALICE, 'if-match': '"1"' } }],
        ['header/idempotency-key', { method: 'POST', payload, headers: { ...AS_ALICE, 'idempotency-key': 'k' } }],
        ['header/if-match', { method: 'GET', headers: { ...AS_ALICE, 'if-match': '"1"' } }],
        ['header/idempotency-key', { method: 'HEAD', headers: { ...AS_ALICE, 'idempotency-key': 'k' } }],
        ['', { method: 'GET', payload, headers: AS_ALICE }],
        ['query/nope', { method: 'GET', query: { nope: '1' }, headers: AS_ALICE }],
        ['query/dryRun', { method: 'GET', query: { dryRun: 'true' }, headers: AS_ALICE }],
      ] as const) {
        const answer = await server.inject({ url: '/v1/closed', ...request });
        assert.equal(answer.statusCode, 400, path);
        if (request.method !== 'HEAD') assert.equal(answer.json().faults[0].path, path);
      }
      assert.deepEqual(calls, []);
    }));

  it('refuses an address that is too long, and a name that is too long', () =>
    withServer({ limits: { urlChars: 100, paramChars: 20 } }, async (server) => {
      for (const url of [`/v1/open?${'x'.repeat(100)}`, `/v1/named/${'x'.repeat(21)}`]) {
        const answer = await server.inject({ url, headers: AS_ALICE });
        assert.deepEqual([answer.statusCode, answer.json().code], [414, 'uriTooLong'], url);
      }
      assert.equal((await server.inject({ url: `/v1/named/${'x'.repeat(20)}`, headers: AS_ALICE })).statusCode, 200);
    }));

  it('refuses the one character that no database takes', () =>
    withServer({}, async (server) => {
      for (const url of ['/v1/named/a%00b', '/v1/open?x=%00']) {
        const answer = await server.inject({ url, headers: AS_ALICE });
        assert.deepEqual([answer.statusCode, answer.json().code], [400, 'malformedRequest'], url);
      }
    }));

  it('counts those who are known by name', () =>
    withServer({ limits: { perPrincipal: { max: 2, windowMs: 60_000 } } }, async (server) => {
      const ask = (who: string) => server.inject({ url: '/v1/closed', headers: { authorization: `Bearer ${who}` } });
      const statuses = [];
      for (const who of ['alice', 'alice', 'alice', 'bob']) statuses.push((await ask(who)).statusCode);
      assert.deepEqual(statuses, [200, 200, 429, 200]);
      const refused = await ask('alice');
      assert.equal(refused.json().code, 'rateLimited');
      const seconds = Number(refused.headers['retry-after']);
      assert.ok(seconds >= 1 && seconds <= 60, String(seconds));
      assert.equal(refused.json().retryAfterSeconds, seconds);
    }));

  it('counts those who are not known by address, and whose credentials are valid is always let in', async () => {
    const limits = { perAddress: { max: 2, windowMs: 60_000 } };
    await withServer({ limits }, async (server) => {
      const status = async (url: string, headers: object, remoteAddress: string) =>
        (await server.inject({ url, headers: { ...headers }, remoteAddress })).statusCode;
      const statuses = [];
      for (let tries = 0; tries < 4; tries += 1) statuses.push(await status('/v1/closed', AS_NOBODY, '2001:db8::1'));
      assert.deepEqual(statuses, [401, 401, 429, 429]);
      assert.equal(await status('/v1/closed', AS_NOBODY, '2001:db8::2'), 429, 'another address of the same /64');
      assert.equal(await status('/v1/closed', AS_NOBODY, '2001:db8:0:1::1'), 401, 'another network');
      assert.equal(await status('/v1/closed', AS_ALICE, '2001:db8::1'), 200, 'valid credentials');
      assert.equal(await status('/v1/open', {}, '2001:db8::1'), 200, 'what is public is counted apart');
      assert.equal(await status('/healthz', {}, '2001:db8::1'), 200, 'an orchestrator is always answered');
    });
  });

  it('refuses what is more than it can have under way', async () => {
    const gate = Promise.withResolvers<string>();
    const { server } = await testServer([getRoute('/v1/slow', () => gate.promise)], {
      limits: { inFlight: 2, inFlightEach: 1 },
    });
    const ask = (headers = AS_ALICE) => server.inject({ url: '/v1/slow', headers });
    // The first request of another principal is always accepted.
    const slow = [ask(), ask(), ask({ authorization: 'Bearer bob' })];
    const refused = await ask();
    assert.equal(refused.statusCode, 503);
    assert.equal(refused.json().code, 'overloaded');
    assert.equal(refused.headers['retry-after'], '1');
    assert.equal((await server.inject({ url: '/healthz' })).statusCode, 200);
    gate.resolve('done');
    for (const answer of await Promise.all(slow)) assert.equal(answer.statusCode, 200);
    assert.equal((await ask()).statusCode, 200);
    await server.close(1000);
  });
});
