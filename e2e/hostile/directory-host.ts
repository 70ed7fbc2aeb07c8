import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Platform } from '#testing/platform-process';
import { MAIN } from '#testing/product';
import { ServerProcess } from '#testing/server-process';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { made } from '../access/callers.ts';
import type { Stage } from './attack.ts';

export interface DirectoryHost {
  readonly platform: Platform;
  /** The folder behind target edge-1 of workspace shop. */
  readonly folder: string;
}

/** Runs `body` on a platform with a folder as a target, served by the agent of the same package. */
export async function withDirectoryHost<T>(stage: Stage, body: (host: DirectoryHost) => Promise<T>): Promise<T> {
  const platform = await stage.home.start();
  await made(platform, '/v1/workspaces', { name: 'shop' });
  await made(platform, '/v1/targets', { name: 'edge-1', type: 'directory', workspace: 'shop' });
  const bound = await platform.request('/v1/fleetlets/platform:bind', { method: 'POST', body: { target: 'edge-1' } });
  if (bound.status !== 200) throw new Error(`bind: ${bound.status} ${await bound.text()}`);
  const folder = join(stage.folder, 'served');
  await mkdir(folder);
  const socket = join(stage.home.data, 'fleetlet.sock');
  const agent = new ServerProcess({
    program: process.execPath,
    args: [MAIN, 'agent', 'directory', '--fleetlet-socket', socket, '--target', `edge-1=${folder}`],
    folder: stage.folder,
    log: join(stage.folder, 'agent.log'),
  });
  try {
    await eventually('the target is connected', async () => {
      if (agent.hasEnded) throw new Error(agent.said);
      const answer = await platform.request('/v1/targets/edge-1');
      return ((await answer.json()) as { connection?: { state: string } }).connection?.state === 'Connected';
    });
    return await body({ platform, folder });
  } finally {
    await agent.stop('SIGKILL');
  }
}

/** Deploys to the folder, and waits for a file. */
export async function deployFile(
  { platform, folder }: DirectoryHost,
  { name, manifest, file }: { readonly name: string; readonly manifest: object; readonly file: string },
): Promise<void> {
  const body = { name, manifest, placement: [{ type: 'all' }] };
  await made(platform, '/v1/workspaces/shop/deployments', body);
  await eventually(`the file ${file}`, async () => (await readFile(join(folder, file))).length > 0);
  await eventually('the end of the rollout', async () => {
    const answer = await platform.request(`/v1/workspaces/shop/deployments/${name}`);
    const text = await answer.text();
    return (JSON.parse(text) as { status: { rollout?: { outcome?: string } } }).status.rollout?.outcome === 'Succeeded';
  });
}
