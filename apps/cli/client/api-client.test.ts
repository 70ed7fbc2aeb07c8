import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
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

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = clientAt('');
});
after(() => {
  server.closeAllConnections();
  server.close();
});

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
  { why: 'not known', status: 401, body: problem({}), code: 'NOT_AUTHENTICATED' },
  { why: 'not allowed', status: 403, body: problem({}), code: 'PERMISSION_DENIED' },
  { why: 'not there', status: 404, body: problem({}), code: 'NOT_FOUND' },
  { why: 'not in this state', status: 409, body: problem({}), code: 'CONFLICT' },
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
