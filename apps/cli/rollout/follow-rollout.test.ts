import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { Secret } from '#kit/std';
import type { DeploymentResource } from '#protocol/api';
import { ApiClient } from '../client/api-client.ts';
import { EXIT } from '../command.ts';
import { aDeployment, aStep, aTarget, type DeploymentParts, NOW } from '../testing/a-deployment.ts';
import { type FollowedRollout, followRollout } from './follow-rollout.ts';
import { tellerFor } from './rollout-teller.ts';

const ADDRESS = { workspace: 'shop', name: 'web' };

let version = 0;

/** Each newer than the one before, as in the API. */
function deployment(parts: DeploymentParts): DeploymentResource {
  version += 1;
  const updateTime = new Date(NOW + version).toISOString();
  return aDeployment({ ...parts, its: { ...parts.its, updateTime, etag: `${version}-x` } });
}

const RUNNING: DeploymentParts = { rollout: { steps: [aStep('all', { done: 1 })] } };
const DONE: DeploymentParts = {
  rollout: { phase: 'Finished', outcome: 'Succeeded', steps: [aStep('all', { done: 4, fate: 'cleared' })] },
  its: { reconciling: false },
};
const PAUSED: DeploymentParts = { rollout: { phase: 'Paused', reason: 'FailuresExceeded', message: '1 failed' } };

function frame(id: string, type: string, data: unknown, subject = 'workspaces/shop/deployments/web'): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ id, type, subject, data })}\n\n`;
}

interface Script {
  /** The events of each stream; the server then closes it, and the last one stays open. */
  readonly streams: readonly (string | number)[];
  /** The responses to reads, in order; the last one repeats. `undefined` means not found. */
  readonly reads: readonly (DeploymentResource | undefined)[];
  readonly followed?: Partial<FollowedRollout>;
  readonly isTerminal?: boolean;
  readonly format?: 'table' | 'json';
}

async function followed(t: TestContext, script: Script) {
  const asked: string[] = [];
  const told = { out: '', err: '' };
  let [stream, read] = [0, 0];
  const answerStream = (response: ServerResponse): void => {
    const said = script.streams[stream++];
    if (typeof said === 'number') {
      response.writeHead(said, { 'content-type': 'application/problem+json' }).end('{"detail":"It is so."}');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (said === undefined) response.write('\n');
    else response.end(said);
  };
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    if (path === '/v1/events') {
      asked.push(`events after ${String(request.headers['last-event-id'] ?? 'now')}`);
      answerStream(response);
      return;
    }
    const isDeployment = path.endsWith('/deployments/web');
    if (isDeployment) asked.push('read');
    const found = isDeployment ? script.reads[Math.min(read++, script.reads.length - 1)] : { items: itemsAt(path) };
    const type = found === undefined ? 'application/problem+json' : 'application/json';
    const body = JSON.stringify(found ?? { detail: 'There is none.' });
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': type }).end(body);
  }).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const url = new URL(`http://127.0.0.1:${address.port}`);
  const api = new ApiClient({ server: url, token: new Secret('fst_x'), authority: undefined });
  const io = {
    out: (text: string) => void (told.out += text),
    err: (text: string) => void (told.err += text),
    errIsTerminal: false,
    outIsTerminal: script.isTerminal ?? false,
    environment: { NO_COLOR: '1' },
  };
  const telling = { api, io, clock: { now: () => NOW }, limit: 20, allTargets: false };
  const teller = tellerFor(telling, script.format ?? 'table');
  const code = await followRollout(
    {
      api,
      address: ADDRESS,
      endsWhenStopped: false,
      io,
      teller,
      sleep: async (_, signal) =>
        await new Promise((resolve) => setImmediate(resolve)).then(() => signal.throwIfAborted()),
      random: () => 0,
      ...script.followed,
    },
    t.signal,
  );
  return { code, asked, ...told };
}

function itemsAt(path: string): unknown[] {
  return path.endsWith('/targets') ? [aTarget('a'), aTarget('b', { online: false })] : [];
}

test('a line for each change, how it stands in the end, and 0 for success', async (t) => {
  const { code, out, err } = await followed(t, {
    reads: [deployment(RUNNING)],
    streams: [`id: p0\n\n${frame('p1', 'rollout.finished', deployment(DONE))}`],
  });
  assert.equal(code, EXIT.ok);
  assert.equal(err, '');
  const lines = out.split('\n');
  assert.equal(
    lines[0],
    '2030-01-01T00:10:00Z revision 7: 4 targets in 1 stage; the manifest was changed; requested by user:alice',
  );
  assert.ok(lines.includes('2030-01-01T00:10:00Z all: 4 of 4 done, cleared'), out);
  assert.ok(lines.includes('2030-01-01T00:10:00Z Succeeded'), out);
  assert.match(out, /^web in shop: revision 7 Succeeded for 2m$/m);
  assert.match(out, /^b +offline /m);
});

const unhappy: { why: string; parts: DeploymentParts; endsWhenStopped: boolean; says: RegExp }[] = [
  {
    why: 'one that was aborted',
    parts: { rollout: { phase: 'Finished', outcome: 'Aborted' }, its: { reconciling: false } },
    endsWhenStopped: false,
    says: /Aborted/,
  },
  {
    why: 'a pause, where that is an end',
    parts: PAUSED,
    endsWhenStopped: true,
    says: /revision 7 of web is paused \(FailuresExceeded: 1 failed\)/,
  },
];

for (const { why, parts, endsWhenStopped, says } of unhappy) {
  test(`not 0: ${why}`, async (t) => {
    const { code, err } = await followed(t, {
      reads: [deployment(parts)],
      streams: ['id: p0\n\n'],
      followed: { endsWhenStopped },
    });
    assert.equal(code, EXIT.failure);
    assert.match(err, says);
  });
}

test('a pause is no end for who looks on', async (t) => {
  const { code } = await followed(t, {
    reads: [deployment(PAUSED)],
    streams: [
      `id: p0\n\n${frame('p1', 'rollout.resumed', deployment(RUNNING))}${frame('p2', 'rollout.finished', deployment(DONE))}`,
    ],
  });
  assert.equal(code, EXIT.ok);
});

test('the last rollout is over, and what was asked for since is waited for', async (t) => {
  const planned = { ...RUNNING, its: { generation: 4, observedGeneration: 4 } };
  const done = { ...DONE, its: { ...DONE.its, generation: 4, observedGeneration: 4 } };
  const { code, out } = await followed(t, {
    reads: [deployment({ ...DONE, its: { ...DONE.its, generation: 4, reconciling: true } })],
    streams: [
      `id: p0\n\n${frame('p1', 'rollout.planned', deployment(planned))}${frame('p2', 'rollout.finished', deployment(done))}`,
    ],
    followed: { generation: 4 },
  });
  assert.equal(code, EXIT.ok);
  assert.match(out, /Succeeded/);
});

test('a stream that is lost is taken up behind its last word', async (t) => {
  const { asked, err } = await followed(t, {
    reads: [deployment(RUNNING)],
    streams: ['id: p0\n\n', 503, frame('p1', 'rollout.finished', deployment(DONE))],
  });
  assert.deepEqual(asked.slice(0, 4), ['events after now', 'read', 'events after p0', 'events after p0']);
  assert.match(err, /retrying/);
});

const ABORTED: DeploymentParts = { rollout: { phase: 'Finished', outcome: 'Aborted' }, its: { reconciling: false } };

test('what others do is not told, and what this version cannot read is read anew', async (t) => {
  const running = deployment(RUNNING);
  const other = frame('p1', 'rollout.finished', deployment(ABORTED), 'workspaces/shop/deployments/api');
  const { code, asked } = await followed(t, {
    reads: [running, deployment(DONE)],
    streams: [`id: p0\n\n${other}`, frame('p2', 'deployment.statusChanged', { name: 'web' })],
  });
  assert.equal(code, EXIT.ok);
  assert.deepEqual(asked.slice(0, 4), ['events after now', 'read', 'events after p1', 'read']);
});

test('events leave the spec out: what is known of the same generation completes them, anything else is read', async (t) => {
  const withoutSpec = (parts: DeploymentParts) => {
    const { manifest: _, placement: __, rollout: ___, config: ____, ...rest } = deployment(parts);
    return rest;
  };
  const { code, asked } = await followed(t, {
    reads: [deployment(PAUSED), deployment(RUNNING)],
    streams: [
      `id: p0\n\n${frame('p1', 'rollout.resumed', { ...withoutSpec(RUNNING), generation: 9 })}${frame('p2', 'rollout.finished', withoutSpec(DONE))}`,
    ],
  });
  assert.equal(code, EXIT.ok);
  assert.equal(asked.filter((what) => what === 'read').length, 2);
});

test('what the stream tells first may be older than what was read, and is not taken for news', async (t) => {
  const old = frame('p1', 'rollout.finished', deployment(ABORTED));
  const { code } = await followed(t, {
    reads: [deployment(RUNNING)],
    streams: [`id: p0\n\n${old}`, frame('p2', 'rollout.finished', deployment(DONE))],
  });
  assert.equal(code, EXIT.ok);
});

test('one that is deleted meanwhile is gone, and that is its end', async (t) => {
  const { code, err } = await followed(t, {
    reads: [deployment(RUNNING)],
    streams: [`id: p0\n\n${frame('p1', 'deployment.deleted', deployment(RUNNING))}`],
  });
  assert.deepEqual([code, err], [EXIT.ok, 'web was deleted\n']);
});

test('one that never was is a slip in its name', async (t) => {
  await assert.rejects(followed(t, { reads: [undefined], streams: ['id: p0\n\n'] }), { code: 'NOT_FOUND' });
});

test('on a terminal the picture is drawn over itself, and stays in the end', async (t) => {
  const { out } = await followed(t, {
    reads: [deployment(RUNNING)],
    streams: [`id: p0\n\n${frame('p1', 'rollout.finished', deployment(DONE))}`],
    isTerminal: true,
  });
  assert.ok(out.includes('\u001b[?25l'));
  const last = out.slice(out.lastIndexOf('\u001b[?25h'));
  assert.match(last, /revision 7 Succeeded for 2m[^]*all +\[#{24}\] +4\/4 +done[^]*b +offline/);
});

test('for programs each state is a line of JSON', async (t) => {
  const { out } = await followed(t, {
    reads: [deployment(RUNNING)],
    streams: [`id: p0\n\n${frame('p1', 'rollout.finished', deployment(DONE))}`],
    format: 'json',
  });
  const phases = out
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as DeploymentResource).status.rollout?.phase);
  assert.deepEqual(phases.at(-1), 'Finished');
});
