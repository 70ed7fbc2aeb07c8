import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { Secret } from '#kit/std';
import { ApiClient } from '../client/api-client.ts';
import { EXIT } from '../command.ts';
import { applyDocuments } from './apply-documents.ts';
import { checkDocuments } from './check-documents.ts';
import { parseDocuments } from './read-documents.ts';

const TIME = '2030-01-01T00:00:00.000Z';
const SYSTEM = { createTime: TIME, updateTime: TIME, generation: 1, observedGeneration: 1 };

function workspace(version: number, its: object = {}) {
  const uid = '01a1e1a7-7cfc-7378-a5ae-475533dbca95';
  return { name: 'a', uid, kind: 'folder', parent: 'root', labels: {}, ...SYSTEM, etag: `${version}-x`, ...its };
}

type Answer = readonly [status: number, body: object];
const PROBLEM = { detail: 'It is so.' };

/** Applies the documents against a fake platform that gives these responses in order and checks each request. */
async function applied(t: TestContext, documents: string, answers: readonly (readonly [request: string, Answer])[]) {
  const asked: string[] = [];
  const bodies: unknown[] = [];
  const told = { out: '', err: '' };
  const server = createServer((request, response) => {
    const sent = text(request).then((body) => {
      const [, [status, answer]] = answers[asked.length] ?? ['', [500, PROBLEM]];
      asked.push(`${request.method} ${request.url} ${request.headers['if-match'] ?? ''}`.trim());
      if (body !== '') bodies.push(JSON.parse(body));
      const type = status < 400 ? 'application/json' : 'application/problem+json';
      response.writeHead(status, { 'content-type': type }).end(JSON.stringify(answer));
    });
    sent.catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  }).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const url = new URL(`http://127.0.0.1:${address.port}`);
  const io = {
    out: (line: string) => void (told.out += line),
    err: (line: string) => void (told.err += line),
    errIsTerminal: false,
    outIsTerminal: false,
    environment: {},
  };
  const api = new ApiClient({ server: url, token: new Secret('fst_x'), authority: undefined });
  const checked = await checkDocuments(parseDocuments('x.yaml', documents), { said: undefined, meant: undefined });
  const code = await applyDocuments({ api, documents: checked, dryRun: false, io }, t.signal);
  assert.deepEqual(
    asked,
    answers.map(([request]) => request),
  );
  return { code, bodies, ...told };
}

const LABELS = 'kind: Workspace\nname: a\nspec: { labels: { env: prod } }\n';
const GET = 'GET /v1/workspaces/a';

test('a change that somebody else was faster with is planned anew', async (t) => {
  const ended = await applied(t, LABELS, [
    [GET, [200, workspace(1)]],
    ['PATCH /v1/workspaces/a "1-x"', [412, PROBLEM]],
    [GET, [200, workspace(2, { labels: { old: 'x' } })]],
    [GET, [200, workspace(2, { labels: { old: 'x' } })]],
    ['PATCH /v1/workspaces/a "2-x"', [200, workspace(3)]],
  ]);
  assert.deepEqual(ended.bodies, [{ labels: { env: 'prod' } }, { labels: { env: 'prod', old: null } }]);
  assert.deepEqual([ended.code, ended.out, ended.err], [EXIT.ok, 'workspace/a configured\n', '']);
});

test('a refusal of what is still the same is final', async (t) => {
  const ended = await applied(t, LABELS, [
    [GET, [200, workspace(1)]],
    ['PATCH /v1/workspaces/a "1-x"', [409, PROBLEM]],
    [GET, [200, workspace(1)]],
  ]);
  assert.deepEqual([ended.code, ended.out], [EXIT.conflict, '']);
  assert.equal(ended.err, 'workspace/a (x.yaml): It is so.\n');
});

test('a move comes before the change, which is meant for what the move left', async (t) => {
  const moved = { workspace: workspace(2, { parent: 'b' }), changes: [] };
  const ended = await applied(t, 'kind: Workspace\nname: a\nspec: { parent: b, displayName: A }\n', [
    [GET, [200, workspace(1)]],
    ['POST /v1/workspaces/a:move "1-x"', [200, moved]],
    ['PATCH /v1/workspaces/a "2-x"', [200, workspace(3, { parent: 'b' })]],
  ]);
  assert.deepEqual(ended.bodies, [{ parent: 'b' }, { displayName: 'A' }]);
  assert.equal(ended.out, 'workspace/a configured\n');
});

test('whether something changed is for the platform to say', async (t) => {
  const { out } = await applied(t, LABELS, [
    [GET, [200, workspace(1)]],
    ['PATCH /v1/workspaces/a "1-x"', [200, workspace(1)]],
  ]);
  assert.equal(out, 'workspace/a unchanged\n');
});

test('what fails is told, with what stands on it, and keeps no other; the gravest is the exit code', async (t) => {
  const documents = `
kind: Workspace
name: b
spec: { parent: a }
---
kind: Workspace
name: a
---
kind: Workspace
name: c
---
kind: Workspace
name: d
`;
  const ended = await applied(t, documents, [
    [GET, [404, PROBLEM]],
    ['POST /v1/workspaces', [403, PROBLEM]],
    ['GET /v1/workspaces/c', [404, PROBLEM]],
    ['POST /v1/workspaces', [201, workspace(1, { name: 'c' })]],
    ['GET /v1/workspaces/d', [404, PROBLEM]],
    ['POST /v1/workspaces', [400, PROBLEM]],
  ]);
  assert.equal(ended.code, EXIT.denied);
  assert.equal(ended.out, 'workspace/c created\n');
  assert.equal(
    ended.err,
    `workspace/a (x.yaml, document 2): It is so.
workspace/b (x.yaml, document 1): skipped, because workspace/a failed
workspace/d (x.yaml, document 4): It is so.
`,
  );
});
