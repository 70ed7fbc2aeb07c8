import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { defineRoute, type HttpServer, ok, type Route } from '../index.ts';
import { getRoute, postRoute } from '../testing/small-routes.ts';
import { AS_ALICE, type MemoryLog, type TestServerOptions, testServer } from '../testing/test-server.ts';

async function withRoutes(
  routes: readonly Route[],
  body: (server: HttpServer, log: MemoryLog) => Promise<void>,
  options: TestServerOptions = {},
) {
  const { server, log } = await testServer(routes, options);
  try {
    await body(server, log);
  } finally {
    await server.close(1000);
  }
}

const Tagged = Type.Object({ n: Type.Integer(), etag: Type.String() });

function tagged(extra: object = {}): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/tagged',
    operationId: 'getTagged',
    summary: 'x',
    permission: 'x.get',
    etag: true,
    schema: { responses: { 200: Tagged } },
    handler: async () => ok({ n: 1, etag: '7-abc', ...extra }),
  });
}

describe('answers', () => {
  it('carry the etag, and are not sent to whoever has them already', () =>
    withRoutes([tagged()], async (server) => {
      const first = await server.inject({ url: '/v1/tagged', headers: AS_ALICE });
      assert.equal(first.headers['etag'], '"7-abc"');
      for (const method of ['GET', 'HEAD'] as const) {
        const headers = { ...AS_ALICE, 'if-none-match': '"7-abc"' };
        const again = await server.inject({ method, url: '/v1/tagged', headers });
        assert.equal(again.statusCode, 304);
        assert.equal(again.headers['etag'], '"7-abc"');
        assert.equal(again.body, '');
      }
      const other = await server.inject({ url: '/v1/tagged', headers: { ...AS_ALICE, 'if-none-match': '"6-abc"' } });
      assert.equal(other.statusCode, 200);
    }));

  it('to HEAD are those to GET, without the body', () =>
    withRoutes([tagged()], async (server) => {
      const answer = await server.inject({ method: 'HEAD', url: '/v1/tagged', headers: AS_ALICE });
      assert.equal(answer.statusCode, 200);
      assert.equal(answer.headers['content-length'], '22');
      assert.equal(answer.body, '');
    }));

  it('are JSON, also where they are only text', () =>
    withRoutes([getRoute('/v1/x', () => 'a "b"')], async (server) => {
      const answer = await server.inject({ url: '/v1/x', headers: AS_ALICE });
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(answer.json(), 'a "b"');
    }));

  it('outside their schema are noticed, when answers are verified', () =>
    withRoutes([tagged({ extra: 1 })], async (server, log) => {
      const answer = await server.inject({ url: '/v1/tagged', headers: AS_ALICE });
      assert.equal(answer.statusCode, 500);
      assert.equal(log.at('error').length, 1);
      assert.match(String(log.at('error')[0]?.fields.err), /getTagged answered 200 outside its schema/);
    }));

  it('to a handler that threw something unexpected say nothing about it', () => {
    const broken = getRoute('/v1/broken', () => {
      throw new RangeError('the password is swordfish');
    });
    return withRoutes([broken], async (server, log) => {
      const answer = await server.inject({ url: '/v1/broken', headers: { ...AS_ALICE, 'x-request-id': 'my-id-1' } });
      assert.equal(answer.statusCode, 500);
      assert.equal(answer.headers['content-type'], 'application/problem+json');
      assert.equal(answer.json().code, 'internalError');
      const id = String(answer.headers['x-request-id']);
      assert.match(id, /^[0-9a-f-]{36}$/);
      assert.equal(answer.json().requestId, id);
      assert.doesNotMatch(answer.body, /swordfish|RangeError|\.ts/);
      const [line, ...others] = log.at('error');
      assert.deepEqual(others, []);
      assert.equal(line?.fields.requestId, id);
      assert.match(String(line?.fields.err), /swordfish/);
    });
  });

  it('have an id of ours, whatever the caller calls them', () =>
    withRoutes([getRoute('/v1/x', ({ id }) => id)], async (server) => {
      for (const given of ['a', 'a'.repeat(65), 'with space', '', 'a\tb']) {
        const answer = await server.inject({ url: '/v1/x', headers: { ...AS_ALICE, 'x-request-id': given } });
        assert.match(String(answer.headers['x-request-id']), /^[0-9a-f-]{36}$/);
      }
    }));

  it('come in time, whether or not the handler listens', async () => {
    let reason: unknown;
    const never = new Promise<never>(() => {});
    const deaf = getRoute('/v1/deaf', ({ signal }) => {
      signal.addEventListener('abort', () => (reason = signal.reason));
      return never;
    });
    await withRoutes(
      [deaf],
      async (server, log) => {
        const answer = await server.inject({ url: '/v1/deaf', headers: AS_ALICE });
        assert.equal(answer.statusCode, 504);
        assert.equal(answer.json().code, 'requestTimeout');
        assert.equal((reason as { code: string }).code, 'REQUEST_TIMEOUT');
        assert.equal(log.at('error').length, 0);
        assert.equal(log.at('warn').length, 1);
      },
      { limits: { requestMs: 30 } },
    );
  });

  it('are not given by a handler that ignored what the caller asked for', () =>
    withRoutes([postRoute('/v1/x', () => 'done')], async (server, log) => {
      const request = { method: 'POST', url: '/v1/x', headers: AS_ALICE, payload: { text: 'x' } } as const;
      assert.equal((await server.inject(request)).statusCode, 200);
      const ignored = await server.inject({ ...request, query: { dryRun: 'true' } });
      assert.equal(ignored.statusCode, 500);
      assert.match(String(log.at('error')[0]?.fields.err), /ignored dryRun/);
      assert.equal((await server.inject({ ...request, query: { dryRun: 'yes' } })).statusCode, 400);
      assert.equal((await server.inject({ ...request, query: { dryRun: 'false' } })).statusCode, 200);
    }));

  it('of authorize are refusals, where the body decides', () => {
    const asking = postRoute('/v1/x', async (request) => {
      await request.authorize('other.use', { name: 'y' });
      return 'done';
    });
    return withRoutes(
      [asking],
      async (server) => {
        const request = { method: 'POST', url: '/v1/x', payload: { text: 'x' } } as const;
        const alice = await server.inject({ ...request, headers: AS_ALICE });
        assert.deepEqual([alice.statusCode, alice.json().permission], [403, 'other.use']);
        assert.equal((await server.inject({ ...request, headers: { authorization: 'Bearer root' } })).statusCode, 200);
      },
      { allow: ({ id }, permission) => id === 'root' || permission === 'x.post' },
    );
  });

  it('have the headers that keep browsers safe, whatever they answer', () =>
    withRoutes([getRoute('/v1/x', () => 1)], async (server) => {
      for (const url of ['/v1/x', '/v1/nope', '/v1/%zz', '/healthz', '/docs/', `/v1/${'x'.repeat(300)}`]) {
        const { headers } = await server.inject({ url, headers: AS_ALICE });
        assert.equal(headers['x-content-type-options'], 'nosniff', url);
        assert.equal(headers['x-frame-options'], 'DENY', url);
        assert.match(String(headers['content-security-policy']), /default-src 'none'/, url);
        assert.match(String(headers['x-request-id']), /./, url);
        if (url.startsWith('/v1')) assert.equal(headers['cache-control'], 'no-store', url);
      }
    }));

  for (const { why, payload, type, code } of [
    { why: 'broken JSON', payload: '{"text": "x"', type: 'application/json', code: 'malformedJson' },
    { why: 'no JSON', payload: 'text', type: 'application/json', code: 'malformedJson' },
    { why: 'no UTF-8', payload: Buffer.from([0x22, 0xff, 0x22]), type: 'application/json', code: 'malformedJson' },
    { why: 'a prototype', payload: '{"__proto__": {"text": "x"}}', type: 'application/json', code: 'malformedJson' },
    { why: 'another type', payload: 'text=x', type: 'application/x-www-form-urlencoded', code: 'unsupportedMediaType' },
    { why: 'no type', payload: '{"text": "x"}', type: undefined, code: 'unsupportedMediaType' },
    { why: 'a type that is none', payload: '{"text": "x"}', type: 'json', code: 'unsupportedMediaType' },
    {
      why: 'too much',
      payload: JSON.stringify({ text: 'x'.repeat(2000) }),
      type: 'application/json',
      code: 'bodyTooLarge',
    },
    {
      why: 'endless depth',
      payload: '['.repeat(400) + ']'.repeat(400),
      type: 'application/json',
      code: 'malformedJson',
    },
    { why: 'nothing', payload: '', type: 'application/json', code: 'validationFailed' },
    { why: 'null', payload: 'null', type: 'application/json', code: 'validationFailed' },
    { why: 'a list', payload: '[]', type: 'application/json', code: 'validationFailed' },
  ]) {
    it(`refuse a body of ${why} with ${code}`, () =>
      withRoutes(
        [postRoute('/v1/x', () => 'done')],
        async (server) => {
          const headers = { ...AS_ALICE, ...(type === undefined ? {} : { 'content-type': type }) };
          const answer = await server.inject({ method: 'POST', url: '/v1/x', headers, payload });
          assert.equal(answer.json().code, code, answer.body);
          assert.ok(answer.statusCode >= 400 && answer.statusCode < 500);
        },
        { limits: { bodyBytes: 1000 } },
      ));
  }

  it('are quiet at a terminal, unless the server failed', () =>
    withRoutes(
      [
        postRoute('/v1/x', () => 1),
        getRoute('/v1/broken', () => {
          throw new Error('broken');
        }),
      ],
      async (server, log) => {
        await server.inject({ method: 'POST', url: '/v1/x', headers: AS_ALICE, payload: { text: 'x' } });
        await server.inject({ url: '/v1/x' });
        await server.inject({ url: '/v1/broken', headers: AS_ALICE });
        const answered = log.lines.filter(({ message }) => message === 'request answered');
        assert.deepEqual(
          answered.map(({ level }) => level),
          ['debug', 'debug', 'info'],
        );
      },
      { quietRequests: true },
    ));

  it('are logged once: a read quietly, a change or a refusal aloud', () =>
    withRoutes([getRoute('/v1/x', () => 1), postRoute('/v1/x', () => 1)], async (server, log) => {
      await server.inject({ url: '/v1/x?secret=1', headers: { ...AS_ALICE, 'x-request-id': 'r1' } });
      await server.inject({ url: '/v1/x', headers: AS_ALICE });
      await server.inject({ method: 'POST', url: '/v1/x', headers: AS_ALICE, payload: { text: 'x' } });
      await server.inject({ url: '/healthz' });
      const lines = log.lines.map(({ level, fields }) => [level, fields.operation, fields.status, fields.path]);
      assert.deepEqual(lines, [
        ['info', 'getvx', 400, '/v1/x'],
        ['debug', 'getvx', 200, '/v1/x'],
        ['info', 'postvx', 200, '/v1/x'],
        ['debug', 'getHealth', 200, '/healthz'],
      ]);
      assert.deepEqual(log.lines[0]?.fields.principal, { kind: 'user', id: 'alice' });
      assert.equal(log.lines[0]?.fields.clientRequestId, 'r1');
      assert.match(String(log.lines[0]?.fields.requestId), /^[0-9a-f-]{36}$/);
    }));
});
