import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { Secret } from '#kit/std';
import { ApiClient } from '../client/api-client.ts';
import { kindNamed } from '../kinds/kinds.ts';
import { LabelSelector } from '../kinds/label-selector.ts';
import type { Place } from '../kinds/place.ts';
import { watchKind } from './watch-kind.ts';

const kind = kindNamed('workspaces');
const JSON_TYPE = { 'content-type': 'application/json' };

function workspace(name: string, version = 1, its: object = {}) {
  const time = '2030-01-01T00:00:00.000Z';
  const uid = '01a1e1a7-7cfc-7378-a5ae-475533dbca95';
  const system = { createTime: time, updateTime: time, generation: 1, observedGeneration: 1, etag: `${version}-x` };
  return { name, uid, kind: 'folder', parent: 'root', labels: {}, ...system, ...its };
}

const frame = (id: string, type: string, data: unknown): string =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ id, type, data })}\n\n`;

interface Script {
  /** The events of each stream; the server then closes it, and the last one stays open. */
  readonly streams: readonly (string | number)[];
  readonly lists: readonly (readonly object[])[];
  readonly place?: Place;
  readonly selector?: string;
  /** The number of changes to wait for. */
  readonly changes: number;
}

/** All requests and all output. */
async function watched(t: TestContext, { streams, lists, place = {}, selector, changes }: Script) {
  const asked: string[] = [];
  const told: string[] = [];
  let [stream, list] = [0, 0];
  const answerStream = (response: ServerResponse): void => {
    const said = streams[stream++];
    if (said === undefined) return void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('\n');
    if (typeof said === 'number') {
      response.writeHead(said, { 'content-type': 'application/problem+json' }).end('{"detail":"It is so."}');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(said);
  };
  const server = createServer((request, response) => {
    const isStream = request.url?.startsWith('/v1/events');
    asked.push(isStream ? `events after ${String(request.headers['last-event-id'] ?? 'now')}` : 'list');
    if (isStream) answerStream(response);
    else response.writeHead(200, JSON_TYPE).end(JSON.stringify({ items: lists[list++] ?? [] }));
  }).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const url = new URL(`http://127.0.0.1:${address.port}`);
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, t.signal]);
  const watching = {
    api: new ApiClient({ server: url, token: new Secret('fst_x'), authority: undefined }),
    kind,
    events: kind.events ?? assert.fail(),
    place,
    selector: selector === undefined ? undefined : LabelSelector.parse(selector),
    sleep: async () => signal.throwIfAborted(),
    random: () => 0,
    tell: (several: readonly { type: string; item: Readonly<Record<string, unknown>> }[]) => {
      told.push(...several.map(({ type, item }) => `${type} ${String(item['name'])}`));
      if (told.length >= changes) stop.abort(new Error('seen enough'));
    },
    note: () => undefined,
  };
  await assert.rejects(watchKind(watching, signal), (error) => {
    if (!stop.signal.aborted) throw error;
    return true;
  });
  return { asked, told };
}

test('what is there, then what happens to it', async (t) => {
  const { asked, told } = await watched(t, {
    lists: [[workspace('a'), workspace('b')]],
    streams: [
      'retry: 1\n\nid: p0\n\n' +
        frame('p1', 'workspace.updated', workspace('a')) +
        frame('p2', 'workspace.updated', workspace('a', 2)) +
        frame('p3', 'workspace.created', workspace('c')) +
        frame('p4', 'workspace.deleted', workspace('b')) +
        frame('p5', 'workspace.deleted', workspace('unknown')) +
        frame('p6', 'workspace.created', workspace('d')),
    ],
    changes: 6,
  });
  assert.deepEqual(asked, ['events after now', 'list']);
  assert.deepEqual(told, ['ADDED a', 'ADDED b', 'MODIFIED a', 'ADDED c', 'REMOVED b', 'ADDED d']);
});

test('a stream that ends is taken up behind its last word, and one that fails is tried again', async (t) => {
  const { asked, told } = await watched(t, {
    lists: [[]],
    streams: ['id: p0\n\n', 503, `id: p1\n\n`, frame('p2', 'workspace.created', workspace('a'))],
    changes: 1,
  });
  assert.deepEqual(asked, ['events after now', 'list', 'events after p0', 'events after p0', 'events after p1']);
  assert.deepEqual(told, ['ADDED a']);
});

test('when events are gone, what changed meanwhile is found in the list', async (t) => {
  const { asked, told } = await watched(t, {
    lists: [
      [workspace('a'), workspace('b'), workspace('c')],
      [workspace('a'), workspace('b', 2), workspace('d')],
    ],
    streams: ['id: p0\n\n', 410, 'id: p9\n\n'],
    changes: 6,
  });
  assert.deepEqual(asked, ['events after now', 'list', 'events after p0', 'events after now', 'list']);
  assert.deepEqual(told, ['ADDED a', 'ADDED b', 'ADDED c', 'MODIFIED b', 'ADDED d', 'REMOVED c']);
});

test('what leaves the place or the selection is removed, and what is elsewhere is not told', async (t) => {
  const inShop = { parent: 'shop', labels: { env: 'prod' } };
  const { told } = await watched(t, {
    lists: [[workspace('a', 1, inShop), workspace('b', 1, inShop)]],
    streams: [
      'id: p0\n\n' +
        frame('p1', 'workspace.moved', workspace('a', 2, { ...inShop, parent: 'root' })) +
        frame('p2', 'workspace.updated', workspace('b', 2, { ...inShop, labels: {} })) +
        frame('p3', 'workspace.created', workspace('c', 1, { labels: { env: 'prod' } })) +
        frame('p4', 'workspace.created', workspace('d', 1, inShop)),
    ],
    place: { workspace: 'shop', workspaceIsSaid: true },
    selector: 'env=prod',
    changes: 5,
  });
  assert.deepEqual(told, ['ADDED a', 'ADDED b', 'REMOVED a', 'REMOVED b', 'ADDED d']);
});

test('an event that leaves out what did not change is completed, and one of elsewhere is not told', async (t) => {
  const inShop = { parent: 'shop', displayName: 'A' };
  const { kind: _, ...partial } = workspace('a', 2, inShop);
  const { kind: __, ...elsewhere } = workspace('b', 2, { parent: 'root' });
  const { kind: ___, ...later } = workspace('a', 3, { ...inShop, generation: 2 });
  const { asked, told } = await watched(t, {
    lists: [[workspace('a', 1, inShop)], [workspace('a', 3, { ...inShop, generation: 2 })]],
    streams: [
      'id: p0\n\n' +
        frame('p1', 'workspace.updated', elsewhere) +
        frame('p2', 'workspace.updated', partial) +
        frame('p3', 'workspace.updated', later),
    ],
    place: { workspace: 'shop', workspaceIsSaid: true },
    changes: 3,
  });
  assert.deepEqual(asked, ['events after now', 'list', 'list']);
  assert.deepEqual(told, ['ADDED a', 'MODIFIED a', 'MODIFIED a']);
});

test('an event that this version cannot read sends it back to the list', async (t) => {
  const { told } = await watched(t, {
    lists: [[workspace('a')], [workspace('a', 2)]],
    streams: [`id: p0\n\n${frame('p1', 'workspace.updated', { name: 'a' })}`],
    changes: 2,
  });
  assert.deepEqual(told, ['ADDED a', 'MODIFIED a']);
});

test('credentials that are no longer taken end it', async (t) => {
  await assert.rejects(watched(t, { lists: [[]], streams: ['id: p0\n\n', 401], changes: 1 }), {
    code: 'NOT_AUTHENTICATED',
  });
});
