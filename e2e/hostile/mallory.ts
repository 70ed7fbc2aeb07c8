import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as httpRequest, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { FakeApiServer } from '#kit/kube/testing';
import { PATIENCE_MS } from '#testing/patience';
import type { Platform, PlatformRequest } from '#testing/platform-process';
import { addCaller, ask, made, STAFF } from '../access/callers.ts';

/** Admin of one workspace, and of nothing else. */
export interface Mallory {
  readonly workspace: string;
  readonly token: string;
  readonly ask: (path: string, init?: PlatformRequest) => Promise<Response>;
}

export async function addMallory(platform: Platform): Promise<Mallory> {
  const workspace = 'lair';
  for (const name of [STAFF, workspace]) await made(platform, '/v1/workspaces', { name, parent: 'root' });
  const given = [{ role: 'admin', on: `workspaces/${workspace}` }] as const;
  const { token } = await addCaller(platform, { name: 'mallory', given });
  return { workspace, token, ask: (path, init) => ask(platform, token, path, init) };
}

/** A target of the workspace, as mallory makes it. */
export async function addTarget({ workspace, ask: asks }: Mallory, name: string): Promise<void> {
  const answer = await asks('/v1/targets', { method: 'POST', body: { name, type: 'kubernetes', workspace } });
  assert.equal(answer.status, 201, await answer.text());
}

/** A kubeconfig without credentials. */
export function kubeconfigFor(server: string): string {
  return JSON.stringify({
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'c', user: {} }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
  });
}

export interface LoopbackServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Plain HTTP on a free port of loopback. */
export async function serveOnLoopback(answer: RequestListener): Promise<LoopbackServer> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export interface FakeCluster extends LoopbackServer {
  /** What callers showed, one after the other. */
  readonly authorizations: readonly string[];
}

/** A cluster that notes what it is shown. */
export async function fakeCluster(): Promise<FakeCluster> {
  const fake = await FakeApiServer.start();
  const authorizations: string[] = [];
  const front = await serveOnLoopback((asked, response) => {
    const { method = '', url = '', headers } = asked;
    if (headers.authorization !== undefined) authorizations.push(headers.authorization);
    if (url.endsWith('selfsubjectaccessreviews')) {
      asked.resume();
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ status: { allowed: true } }));
      return;
    }
    const onward = httpRequest(`${fake.url}${url}`, { method, headers, agent: false }, (incoming) => {
      response.writeHead(incoming.statusCode ?? 502, incoming.headers);
      incoming.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    asked.pipe(onward);
  });
  return {
    ...front,
    authorizations,
    close: async () => {
      await front.close();
      await fake.close();
    },
  };
}

/** Asks again and again until there is something. */
export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const late = AbortSignal.timeout(PATIENCE_MS); !late.aborted; await delay(50)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(`waited for ${what}`);
}

/** How it stands with the kubeconfig of a target, once the platform has tried it. */
export async function stateOf({ ask: asks }: Mallory, target: string): Promise<{ state: string; message: string }> {
  return await until(`the platform to try ${target}`, async () => {
    const answer = await asks(`/v1/targets/${target}/kubeconfig`);
    const { state = '', message = '' } = (await answer.json()) as {
      readonly state?: string;
      readonly message?: string;
    };
    assert.equal(answer.status, 200, message);
    return state === 'Pending' ? undefined : { state, message };
  });
}
