import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import type { OpenapiDocument, ResponseObject } from './api-description.ts';
import { fuzzApi } from './fuzz-api.ts';

const TOKEN = 'the-token';
const FRAMES = 'retry: 1\n\nid: 1\nevent: x\ndata: {}\n\n';

type Answerer = (request: IncomingMessage, response: ServerResponse) => void;

describe('the fuzzer', () => {
  it('finds nothing wrong with a server that is as it is described, and tells what came', async (t) => {
    const { statuses, codes } = await fuzz(t, properly);
    assert.deepEqual([...statuses.keys()].toSorted(), ['getThing', 'putThing', 'streamThings']);
    assert.ok((statuses.get('putThing')?.get(200) ?? 0) > 0);
    assert.ok((codes.get('no') ?? 0) > 0);
  });

  const wrong: { why: string; answer: Answerer; says: RegExp }[] = [
    { why: 'a 5xx', answer: (_, response) => json(response, 503, problem(503)), says: /: 503$/m },
    {
      why: 'a status that is not described',
      answer: (_, response) => json(response, 202, {}),
      says: /202, which is not/,
    },
    {
      why: 'a media type that is not described',
      answer: (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      says: /200 as "text\/html"/,
    },
    {
      why: 'an answer outside its schema',
      answer: (_, response) => json(response, 200, { name: 7, etag: 'x' }),
      says: /putThing: 200 outside its schema: data\/name must be string/,
    },
    {
      why: 'a refusal outside its schema',
      answer: (_, response) => response.writeHead(404, { 'content-type': 'application/problem+json' }).end('{}'),
      says: /404 outside its schema: data must have required property 'status'/,
    },
    {
      why: 'a problem that says another status',
      answer: (_, response) => json(response, 404, problem(400)),
      says: /404, and the problem says another/,
    },
    {
      why: 'JSON that is none',
      answer: (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      says: /with a body that is not JSON/,
    },
    { why: 'success at a place that is not described', answer: everywhere, says: /no operation is described there/ },
    { why: 'success without credentials', answer: everywhere, says: /putThing: 200 without credentials/ },
    {
      why: 'another thing under the same etag',
      answer: (_, response) => json(response, 200, { name: String(performance.now()), etag: 'same' }),
      says: /under the etag same it was/,
    },
    {
      why: 'a stream that is none',
      answer: (request, response) =>
        isStream(request) ? stream(response, 'nonsense\n\n') : properly(request, response),
      says: /streamThings: a stream with the line "nonsense"/,
    },
    { why: 'no answer', answer: (request) => request.socket.destroy(), says: /no answer: socket hang up/ },
  ];
  for (const { why, answer, says } of wrong) {
    it(`finds ${why}, and tells how to ask for it again`, async (t) => {
      await assert.rejects(fuzz(t, answer), (error: Error) => {
        assert.match(error.message, says);
        assert.match(error.message, /^seed 1:[^]*\n {2}.*curl -i .*"\$URL"'\//);
        assert.doesNotMatch(error.message, /the-token/);
        return true;
      });
    });
  }

  it('asks the same for the same seed', async (t) => {
    const stories = [await askedFor(t, 7), await askedFor(t, 7), await askedFor(t, 8)];
    assert.deepEqual(stories[0], stories[1]);
    assert.notDeepEqual(stories[0], stories[2]);
  });
});

async function askedFor(t: TestContext, seed: number): Promise<string[]> {
  const asked: string[] = [];
  await fuzz(
    t,
    (request, response) => {
      asked.push(`${request.method} ${request.url}`);
      properly(request, response);
    },
    seed,
  );
  return asked;
}

async function fuzz(t: TestContext, answer: Answerer, seed = 1) {
  const server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
    request.resume();
    answer(request, response);
  });
  server.on('checkExpectation', (_, response: ServerResponse) => json(response, 417, problem(417)));
  server.listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const url = `http://127.0.0.1:${address.port}`;
  return await fuzzApi(
    {
      url,
      callers: async () => [{ name: 'somebody', token: TOKEN }],
      document: DOCUMENT,
      count: 400,
      seed,
      answerMs: 3_000,
      progress: () => {},
    },
    t.signal,
  );
}

/** Answers as the document says. */
function properly(request: IncomingMessage, response: ServerResponse): void {
  const isThing =
    /^\/things\/[^/?]+(?:\?|$)/.test(request.url ?? '') && /^(?:GET|HEAD|PUT)$/.test(request.method ?? '');
  if (!isThing && !isStream(request)) return json(response, 404, problem(404));
  if (request.headers.authorization !== `Bearer ${TOKEN}`) return json(response, 401, problem(401));
  if (isStream(request)) return stream(response, request.method === 'HEAD' ? '' : FRAMES);
  return json(response, 200, { name: 'a', etag: 'x' });
}

function everywhere(_: IncomingMessage, response: ServerResponse): void {
  json(response, 200, { name: 'a', etag: 'x' });
}

function isStream({ method = '', url = '' }: IncomingMessage): boolean {
  return /^(?:GET|HEAD)$/.test(method) && /^\/stream(?:\?|$)/.test(url);
}

/** A stream that never ends, unless it has nothing to send. */
function stream(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (text === '') response.end();
  else response.write(text);
}

function json(response: ServerResponse, status: number, body: object): void {
  const type = status >= 400 ? 'application/problem+json' : 'application/json';
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
}

function problem(status: number): object {
  return { status, code: 'no' };
}

const PROBLEM = {
  type: 'object',
  properties: { status: { type: 'integer' }, code: { type: 'string' } },
  required: ['status', 'code'],
};
const THING = {
  type: 'object',
  properties: { name: { type: 'string' }, etag: { type: 'string' } },
  required: ['name', 'etag'],
};
const REFUSED: ResponseObject = { content: { 'application/problem+json': { schema: PROBLEM } } };
const FOUND: ResponseObject = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } };
const NAME = { name: 'thing', in: 'path', required: true, schema: { type: 'string', pattern: '^[a-z]+$' } };

const DOCUMENT: OpenapiDocument = {
  components: { schemas: { Thing: THING } },
  paths: {
    '/things/{thing}': {
      get: {
        operationId: 'getThing',
        parameters: [NAME],
        security: [{ bearer: [] }],
        responses: { 200: FOUND, '4XX': REFUSED },
      },
      put: {
        operationId: 'putThing',
        parameters: [NAME, { name: 'size', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 9 } }],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
        security: [{ bearer: [] }],
        responses: { 200: FOUND, '4XX': REFUSED },
      },
    },
    '/stream': {
      get: {
        operationId: 'streamThings',
        security: [{ bearer: [] }],
        responses: { 200: { content: { 'text/event-stream': { schema: { type: 'string' } } } }, '4XX': REFUSED },
      },
    },
  },
};
