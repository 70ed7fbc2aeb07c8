import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Platform } from '#testing/platform-process';
import { addCaller, made, STAFF } from '../access/callers.ts';
import { AgentProcess } from '../kubectl/agent-process.ts';
import { type ClusterScript, startScriptedCluster, writeAgentKubeconfig } from '../scripted-cluster.ts';
import type { Stage } from './attack.ts';

export const TARGET = 'prod-1';
/** The API server's base path, as behind a gateway: anything outside it does not belong to the cluster. */
const ROOT = '/clusters/one';
/** A slow request: the API server answers it when the next one has arrived. */
export const SLOW = '/slow';

/** A request that arrived at the API server, or outside its base path. */
export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly as: string | undefined;
}

export interface ProxiedCluster {
  readonly platform: Platform;
  readonly viewer: string;
  readonly deployer: string;
  readonly arrived: readonly Arrived[];
  /** Sends bytes to the front door on a new connection; returns everything received until it closes. */
  readonly say: (bytes: string) => Promise<string>;
  /** Sends a request through the platform. */
  readonly ask: (token: string, path: string, init?: { readonly method?: string }) => Promise<Response>;
}

/** Runs `body` on a platform with an agent of the same package, a recording cluster behind it, and two people. */
export async function withProxiedCluster<T>(
  { home, folder }: Stage,
  attack: (it: ProxiedCluster) => Promise<T>,
): Promise<T> {
  const arrived: Arrived[] = [];
  const cluster = await startScriptedCluster({ passes: recorded(arrived) });
  let agent: AgentProcess | undefined;
  try {
    const platform = await home.start();
    for (const name of [STAFF, 'shop']) await made(platform, '/v1/workspaces', { name, parent: 'root' });
    await made(platform, '/v1/targets', { name: TARGET, type: 'kubernetes', workspace: 'shop' });
    const bound = await platform.request('/v1/fleetlets/platform:bind', { method: 'POST', body: { target: TARGET } });
    assert.ok(bound.ok, await bound.text());
    const kubeconfig = await writeAgentKubeconfig(folder, `${cluster.url}${ROOT}`);
    const socket = join(home.data, 'fleetlet.sock');
    agent = new AgentProcess({ platform, socket, target: TARGET, kubeconfig, folder });
    await agent.start();
    const tokenOf = async (name: 'viewer' | 'deployer'): Promise<string> => {
      const role = await clusterRole(platform, name);
      return (await addCaller(platform, { name, given: [{ role, on: 'workspaces/shop' }] })).token;
    };
    const ask: ProxiedCluster['ask'] = (token, path, init = {}) =>
      fetch(`${platform.url}/targets/${TARGET}/api${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });
    const [viewer, deployer] = [await tokenOf('viewer'), await tokenOf('deployer')];
    const reached = await ask(viewer, '/api/v1/namespaces/kube-system');
    assert.equal(reached.status, 200, await reached.text());
    return await attack({ platform, viewer, deployer, arrived, ask, say: (bytes) => say(platform.url, bytes) });
  } finally {
    await agent?.kill();
    await cluster.close();
  }
}

const CLUSTER_ROLES = { viewer: 'cluster-viewer', deployer: 'cluster-editor' } as const;

/** The role that reaches the API of a target: in older packages the same as for deployments. */
export async function clusterRole(platform: Platform, name: keyof typeof CLUSTER_ROLES) {
  const text = await (await platform.request('/openapi.json')).text();
  const role = CLUSTER_ROLES[name];
  return text.includes(role) ? role : name;
}

/** Records each request, and answers those outside the API server's base path. */
function recorded(arrived: Arrived[]): NonNullable<ClusterScript['passes']> {
  const slow: ServerResponse[] = [];
  return (asked, response) => {
    const { method = '', url = '', headers } = asked;
    const as = headers['impersonate-user'];
    arrived.push({ method, url, as: typeof as === 'string' ? as : undefined });
    if (url === `${ROOT}${SLOW}`) {
      slow.push(response);
      return undefined;
    }
    if (as !== undefined) for (const held of slow.splice(0)) held.end('the answer to a slow request');
    if (url.startsWith(`${ROOT}/`) && !url.includes('..')) return url.slice(ROOT.length);
    asked.resume();
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ status: { allowed: true } }));
    return undefined;
  };
}

async function say(platform: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(platform);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(bytes);
  let heard = '';
  socket.on('data', (data) => (heard += String(data)));
  await once(socket, 'close');
  return heard;
}
