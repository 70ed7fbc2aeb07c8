import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { type FleetletHome, fleetletHome } from '#runtime/fleetlet/testing/fleetlet-process';
import type { Platform } from '#testing/platform-process';
import { MAIN } from '#testing/product';
import { ServerProcess } from '#testing/server-process';
import { runCommand } from '../apps/cli/testing/processes.ts';
import { eventually } from '../kit/durable/testing/eventually.ts';
import { homeFor } from './home-for.ts';

it('a host behind which only HTTPS passes is delivered to over WebSockets', async (t) => {
  const home = await homeFor(t);
  // With the fleetlet listener off, the HTTPS port is the only way in.
  const platform = await home.start({ flags: ['--fleetlet-listen', 'none'] });
  const edge = await fleetletHome(t);
  const enroll = ['target', 'enroll', 'edge-1', '-w', 'root', '-o', 'json', '--server', platform.url];
  const made = await runCommand([...enroll, '--data', home.data]);
  assert.equal(made.code, 0, made.err);

  const authority = join(home.data, 'tls', 'ca.crt');
  const there = ['--platform', platform.tlsUrl, '--ca-file', authority, '--transport', 'websocket'];
  const { token } = JSON.parse(made.out) as { token: string };
  const fleetlet = await edge.start([...there, '--target', 'edge-1=directory'], { FLEETSHIFT_BOOTSTRAP_TOKEN: token });
  await fleetlet.says(/"msg":"session with the platform established"/);
  const folder = await startAgent(t, edge);
  await isConnected(platform);

  await deploy(platform, 'hello');
  await holds(join(folder, 'greeting'), 'hello');

  const { code } = await platform.stop();
  assert.equal(code, 0, 'what has become a WebSocket does not keep it from its end');
});

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

async function isConnected(platform: Platform): Promise<void> {
  await eventually('the target is connected', async () => {
    const answer = await platform.request('/v1/targets/edge-1');
    const { connection } = (await answer.json()) as { readonly connection?: { readonly state: string } };
    return connection?.state === 'Connected';
  });
}

async function deploy(platform: Platform, greeting: string): Promise<void> {
  const template = `apiVersion: directory.fleetshift.io/v1\nkind: File\npath: greeting\ncontent: ${greeting}\n`;
  const body = { name: 'greeting', manifest: { type: 'template', template }, placement: [{ type: 'all' }] };
  const answer = await platform.request('/v1/workspaces/root/deployments', { method: 'POST', body });
  assert.equal(answer.status, 201, await answer.text());
}

async function holds(file: string, content: string): Promise<void> {
  await eventually(`${content} in ${file}`, async () => (await readFile(file, 'utf8')) === content);
}
