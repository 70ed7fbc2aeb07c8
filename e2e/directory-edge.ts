import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type FleetletHome, type FleetletProcess, fleetletHome } from '#runtime/fleetlet/testing/fleetlet-process';
import type { Platform, PlatformHome } from '#testing/platform-process';
import { MAIN } from '#testing/product';
import { ServerProcess } from '#testing/server-process';
import { runCommand } from '../apps/cli/testing/processes.ts';
import { eventually } from '../kit/durable/testing/eventually.ts';

/** A platform that takes fleetlets on its HTTPS port alone, which needs no further port. */
export const OVER_HTTPS = ['--fleetlet-listen', 'none'];

/** A fleetlet and a directory agent as processes: the target `edge-1`. */
export interface DirectoryEdge {
  readonly fleetlet: FleetletProcess;
  /** The folder that the agent writes to. */
  readonly served: string;
}

/** Enrols the fleetlet and connects it over WebSockets; waits until the platform calls the target connected. */
export async function directoryEdge(t: TestContext, home: PlatformHome, platform: Platform): Promise<DirectoryEdge> {
  const edge = await fleetletHome(t);
  const enroll = ['target', 'enroll', 'edge-1', '-w', 'root', '-o', 'json', '--server', platform.url];
  const made = await runCommand([...enroll, '--data', home.data]);
  assert.equal(made.code, 0, made.err);
  const authority = join(home.data, 'tls', 'ca.crt');
  const there = ['--platform', platform.tlsUrl, '--ca-file', authority, '--transport', 'websocket'];
  const { token } = JSON.parse(made.out) as { token: string };
  const fleetlet = await edge.start([...there, '--target', 'edge-1=directory'], { FLEETSHIFT_BOOTSTRAP_TOKEN: token });
  await fleetlet.says(/"msg":"session with the platform established"/);
  const served = await startAgent(t, edge);
  await isConnected(platform);
  return { fleetlet, served };
}

async function startAgent(t: TestContext, { folder, socket }: FleetletHome): Promise<string> {
  const served = join(folder, 'served');
  await mkdir(served);
  const agent = new ServerProcess({
    program: process.execPath,
    args: [MAIN, 'agent', 'directory', '--fleetlet-socket', socket, '--target', `edge-1=${served}`],
    folder,
    log: join(folder, 'agent.log'),
  });
  t.after(() => agent.stop('SIGKILL'));
  return served;
}

export async function isConnected(platform: Platform): Promise<void> {
  await eventually('the target is connected', async () => {
    const answer = await platform.request('/v1/targets/edge-1');
    const { connection } = (await answer.json()) as { readonly connection?: { readonly state: string } };
    return connection?.state === 'Connected';
  });
}

/** Deploys a file `greeting` with this content to every target. */
export async function deployGreeting(platform: Platform, content: string): Promise<void> {
  const template = `apiVersion: directory.fleetshift.io/v1\nkind: File\npath: greeting\ncontent: ${content}\n`;
  const body = { name: 'greeting', manifest: { type: 'template', template }, placement: [{ type: 'all' }] };
  const answer = await platform.request('/v1/workspaces/root/deployments', { method: 'POST', body });
  assert.equal(answer.status, 201, await answer.text());
}

export async function holds({ served }: DirectoryEdge, content: string): Promise<void> {
  const file = join(served, 'greeting');
  await eventually(`${content} in ${file}`, async () => (await readFile(file, 'utf8')) === content);
}
