import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '#kit/std';
import { openDataFolder } from '#runtime/instance/data-folder';
import { resolvePlatformConfig } from './config.ts';
import { runPlatform } from './run.ts';

test('it serves on both addresses, and gives everything back when it is stopped', async (t) => {
  const data = await temporaryFolder(t);
  const { address, stop, ended, told } = await start(data);
  const [http = '', https = ''] = address;

  const ready = await fetch(`${http}/readyz`);
  assert.equal(ready.status, 200);
  const { probes } = (await ready.json()) as { probes: { name: string; message?: string }[] };
  const workflows = probes.find(({ name }) => name === 'workflows');
  assert.match(workflows?.message ?? '', /^(executing|standing by)$/);
  const token = readFileSync(join(data, 'admin-token'), 'utf8').trim();
  const headers = { authorization: `Bearer ${token}` };
  assert.equal((await fetch(`${http}/v1/workspaces/root`)).status, 401);
  assert.equal((await fetch(`${http}/v1/workspaces/root`, { headers })).status, 200);
  assert.deepEqual(await (await fetch(`${http}/v1/workflows`, { headers })).json(), { items: [] });
  assert.equal((await fetch(`${http}/docs`)).status, 200);
  assert.match(
    await (await fetch(`${http}/metrics`)).text(),
    /fleetshift_http_requests_in_flight\{operation="getMetrics"\} 1/,
  );
  const secure = get(`${https}/readyz`, { ca: readFileSync(join(data, 'tls', 'ca.crt')), agent: false });
  const [answer] = await once(secure, 'response');
  assert.equal(answer.resume().statusCode, 200);

  stop();
  await ended;
  assert.deepEqual(
    [...told().matchAll(/"group":"(\w+)"/g)].map(([, group]) => group),
    ['serve', 'workflows', 'background'],
    'what others stand on stops after them',
  );
  assert.ok(!told().includes(token), 'the token is in no log');
  openDataFolder(data, systemClock).release();
});

test('metrics that are protected ask who reads them', async (t) => {
  const data = await temporaryFolder(t);
  const { address, stop, ended } = await start(data, ['--protect-metrics']);
  const token = readFileSync(join(data, 'admin-token'), 'utf8').trim();
  const statusOf = async (headers: Record<string, string>) =>
    (await fetch(`${address[0]}/metrics`, { headers })).status;
  assert.equal(await statusOf({}), 401);
  assert.equal(await statusOf({ authorization: `Bearer ${token}` }), 200);
  stop();
  await ended;
});

test('a start that cannot go on gives back what it had', async (t) => {
  const data = await temporaryFolder(t);
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.after(() => taken.close());
  const address = taken.address();
  assert.ok(address !== null && typeof address === 'object');
  const { signal } = new AbortController();
  const options = optionsFor(data, ['--listen', `127.0.0.1:${address.port}`]);
  await assert.rejects(runPlatform(options, signal), { code: 'ADDRESS_UNUSABLE' });
  openDataFolder(data, systemClock).release();
});

test('a stop before it is up is no start', async (t) => {
  const data = await temporaryFolder(t);
  const reason = new Error('never mind');
  await assert.rejects(runPlatform(optionsFor(data, []), AbortSignal.abort(reason)), reason);
  openDataFolder(data, systemClock).release();
});

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-run-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function optionsFor(data: string, args: readonly string[], write: (line: string) => void = () => {}) {
  const anywhere = [
    '--data',
    data,
    '--tls-listen',
    '127.0.0.1:0',
    '--log-level',
    'debug',
    '--admin-token-file',
    join(data, 'admin-token'),
  ];
  const { values } = resolvePlatformConfig({ args: [...anywhere, ...args], environment: {}, readText: () => '' });
  return { config: values, version: '1.2.3', environment: {}, err: { write, isTerminal: false } };
}

async function start(data: string, args: readonly string[] = []) {
  const stop = new AbortController();
  const serving = Promise.withResolvers<string[]>();
  let told = '';
  const options = optionsFor(data, ['--listen', '127.0.0.1:0', ...args], (line) => {
    told += line;
    const { msg, address } = JSON.parse(line) as { msg: string; address?: string[] };
    if (msg === 'serving' && address !== undefined) serving.resolve(address);
  });
  const ended = runPlatform(options, stop.signal);
  ended.catch(serving.reject);
  return { address: await serving.promise, stop: () => stop.abort(new Error('enough')), ended, told: () => told };
}
