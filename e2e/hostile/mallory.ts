import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from '#testing/patience';
import type { Platform, PlatformRequest } from '#testing/platform-process';
import { addCaller, ask, made, STAFF } from '../access/callers.ts';
import { type LoopbackServer, startScriptedCluster } from '../scripted-cluster.ts';

/** Admin of one workspace, with no other rights. */
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

/** Creates a target in the workspace, as mallory. */
export async function addTarget({ workspace, ask: asks }: Mallory, name: string): Promise<void> {
  const answer = await asks('/v1/targets', { method: 'POST', body: { name, type: 'kubernetes', workspace } });
  assert.equal(answer.status, 201, await answer.text());
}

export interface FakeCluster extends LoopbackServer {
  /** The `Authorization` headers received, in order. */
  readonly authorizations: readonly string[];
}

/** A cluster that records the credentials it is sent. */
export async function fakeCluster(): Promise<FakeCluster> {
  const authorizations: string[] = [];
  const cluster = await startScriptedCluster({
    passes: ({ url = '', headers }) => {
      if (headers.authorization !== undefined) authorizations.push(headers.authorization);
      return url;
    },
  });
  return { ...cluster, authorizations };
}

/** Polls until `look` returns a value. */
export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const late = AbortSignal.timeout(PATIENCE_MS); !late.aborted; await delay(50)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(`waited for ${what}`);
}

/** The state of a target's kubeconfig, once the platform has tried it. */
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
