import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { Type } from 'typebox';
import { Secret } from '#kit/std';
import { ApiClient } from './api-client.ts';
import { ClientError, type ClientErrorCode } from './client-error.ts';

const Thing = Type.Object({ name: Type.String() });
const PROBLEM = 'application/problem+json';
const never = new AbortController().signal;

let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {};
const server = createServer((request, response) => answer(request, response));
let client: ApiClient;

function clientAt(path: string): ApiClient {
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const url = new URL(`http://127.0.0.1:${address.port}${path}`);
  return new ApiClient({ server: url, token: new Secret('fst_x'), authority: undefined });
}

function answerWith(status: number, type: string, body: string): void {
  answer = (_, response) => void response.writeHead(status, { 'content-type': type }).end(body);
}

const problem = (members: object): string => JSON.stringify({ code: 'x', detail: 'It is so.', ...members });

const refused: { why: string; status: number; type?: string; body: string; code: ClientErrorCode; says?: RegExp }[] = [
  {
    why: 'a problem is its sentence, and its faults below',
    status: 400,
    body: problem({ faults: [{ path: 'query/status', message: 'must be one of a, b' }, 'not one'] }),
    code: 'REQUEST_INVALID',
    says: /^It is so\.\n {2}query\/status: must be one of a, b$/,
  },
  {
    why: 'not known: it says what to do',
    status: 401,
    body: problem({}),
    code: 'NOT_AUTHENTICATED',
    says: /^It is so\.\n {2}run: fleetshift login$/,
  },
  { why: 'not allowed', status: 403, body: problem({}), code: 'PERMISSION_DENIED' },
  { why: 'not there', status: 404, body: problem({}), code: 'NOT_FOUND' },
  { why: 'not in this state', status: 409, body: problem({}), code: 'CONFLICT' },
  { why: 'events that are not kept any more', status: 410, body: problem({}), code: 'EVENTS_GONE' },
  { why: 'not any more', status: 412, body: problem({}), code: 'CONFLICT' },
  { why: 'not now', status: 503, body: problem({}), code: 'SERVER_BUSY' },
  { why: 'not so often', status: 429, body: problem({}), code: 'SERVER_BUSY' },
  { why: 'a mistake there', status: 500, body: problem({}), code: 'SERVER_FAILED' },
  {
    why: 'what a terminal would obey is taken out',
    status: 404,
    body: problem({ detail: 'no \u001b[31mred\u009b1m' }),
    code: 'NOT_FOUND',
    says: /^no {2}\[31mred 1m$/,
  },
  { why: 'a page of somebody else', status: 200, type: 'text/html', body: '<p>', code: 'ANSWER_NOT_UNDERSTOOD' },
  { why: 'an error page of a proxy', status: 502, type: 'text/html', body: '<p>', code: 'ANSWER_NOT_UNDERSTOOD' },
  { why: 'a problem that is none', status: 400, body: '{}', code: 'ANSWER_NOT_UNDERSTOOD' },
  { why: 'half of a problem', status: 400, body: '{"detail', code: 'ANSWER_NOT_UNDERSTOOD' },
  { why: 'half of an answer', status: 200, type: 'application/json', body: '{"na', code: 'ANSWER_NOT_UNDERSTOOD' },
  { why: 'another shape', status: 200, type: 'application/json', body: '{"name":1}', code: 'ANSWER_NOT_UNDERSTOOD' },
  { why: 'somewhere else', status: 302, type: 'application/json', body: '{}', code: 'ANSWER_NOT_UNDERSTOOD' },
];

describe('a client of the API', () => {
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = clientAt('');
  });

  after(() => {
    server.closeAllConnections();
    server.close();
  });

  for (const { why, status, type = PROBLEM, body, code, says = /./ } of refused) {
    test(why, async () => {
      answerWith(status, type, body);
      await assert.rejects(client.get(Thing, { path: ['things'] }, never), (error) => {
        assert.ok(error instanceof ClientError);
        assert.equal(error.code, code);
        assert.match(error.message, says);
        return true;
      });
    });
  }

  test('what it does not know yet is no reason to refuse an answer', async () => {
    answerWith(200, 'application/json; charset=utf-8', '{"name":"a","newer":true}');
    assert.deepEqual(await client.get(Thing, { path: ['things'] }, never), { name: 'a', newer: true });
  });

  test('it asks for the very thing, also behind a path, with the token and the body', async () => {
    const seen: unknown[] = [];
    answer = (request, response) => {
      request.setEncoding('utf8').on('data', (body: string) => {
        seen.push(request.method, request.url, request.headers.authorization, request.headers['content-type'], body);
        response.writeHead(202, { 'content-type': 'application/json' }).end('{"name":"a"}');
      });
    };
    const call = {
      path: ['things', 'a b/ü:?'],
      verb: 'paint',
      query: { dryRun: true, left: undefined },
      body: { color: 'ä' },
    };
    await clientAt('/fleet/').post(Thing, call, never);
    assert.deepEqual(seen, [
      'POST',
      '/fleet/v1/things/a%20b%2F%C3%BC%3A%3F:paint?dryRun=true',
      'Bearer fst_x',
      'application/json',
      '{"color":"ä"}',
    ]);
  });

  test('a connection that is cut', async () => {
    answer = (request) => void request.socket.destroy();
    await assert.rejects(client.get(Thing, { path: ['things'] }, never), { code: 'SERVER_UNREACHABLE' });
  });

  test('an answer that is cut', async () => {
    answer = (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"na', () => request.socket.destroy());
    };
    await assert.rejects(client.get(Thing, { path: ['things'] }, never), { code: 'SERVER_UNREACHABLE' });
  });

  test('who is stopped does not wait for an answer', async () => {
    const stop = new AbortController();
    answer = () => stop.abort();
    await assert.rejects(client.get(Thing, { path: ['things'] }, stop.signal), { name: 'AbortError' });
  });

  test('a change names the state that it is meant for, and a deletion has nothing to say', async () => {
    const seen: unknown[] = [];
    answer = (request, response) => {
      seen.push([request.method, request.url, request.headers['if-match']]);
      if (request.method === 'DELETE') response.writeHead(204).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"name":"a"}');
    };
    await client.patch(Thing, { path: ['things', 'a'], body: {}, ifMatch: '7-x' }, never);
    await client.put(Thing, { path: ['things', 'a'], body: {} }, never);
    await client.delete({ path: ['things', 'a'], query: { dryRun: true } }, never);
    assert.deepEqual(seen, [
      ['PATCH', '/v1/things/a', '"7-x"'],
      ['PUT', '/v1/things/a', undefined],
      ['DELETE', '/v1/things/a?dryRun=true', undefined],
    ]);
    answerWith(200, 'text/html', '<p>');
    await assert.rejects(client.delete({ path: ['things', 'a'] }, never), { code: 'ANSWER_NOT_UNDERSTOOD' });
  });

  test('without a token none is shown', async () => {
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    const url = new URL(`http://127.0.0.1:${address.port}`);
    answer = (request, response) => {
      assert.equal(request.headers.authorization, undefined);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"name":"a"}');
    };
    await new ApiClient({ server: url, authority: undefined }).get(Thing, { path: ['things'] }, never);
  });

  test('events come as they are written, behind the last one', async () => {
    const asked: unknown[] = [];
    answer = (request, response) => {
      asked.push(request.url, request.headers['last-event-id']);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('retry: 2000\n\nid: 1\n\nid: 2\neve');
      response.end('nt: a.b\ndata: {"x":1}\n\n: nothing\n\n');
    };
    const events = await Array.fromAsync(client.events({ types: ['a.b', 'c'], lastEventId: '0' }, never));
    assert.deepEqual(asked, ['/v1/events?types=a.b&types=c', '0']);
    assert.deepEqual(events, [
      { id: '1', type: undefined, data: undefined },
      { id: '2', type: 'a.b', data: { x: 1 } },
    ]);
    answerWith(410, PROBLEM, problem({}));
    await assert.rejects(Array.fromAsync(client.events({ types: ['a'] }, never)), { code: 'EVENTS_GONE' });
  });
});
