import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { startCommand } from './testing/processes.ts';

test('the version, for people and for machines', async (t) => {
  const plain = await run(t, ['version']);
  assert.deepEqual([plain.code, plain.err], [0, '']);
  assert.match(plain.out, /^fleetshift \d+\.\d+\.\d+\n$/);
  const { version, node } = JSON.parse((await run(t, ['version', '--json'])).out) as Record<string, string>;
  assert.equal(plain.out, `fleetshift ${version}\n`);
  assert.equal(node, process.versions.node);
});

test('a wrong word ends with 2, on standard error', async (t) => {
  const { code, out, err } = await run(t, ['vresion']);
  assert.deepEqual([code, out], [2, '']);
  assert.match(err, /did you mean version\?/);
});

test('a wrong setting ends with 2 and makes nothing', async (t) => {
  const { code, err } = await run(t, ['serve', '--data', join(tmpdir(), 'never-made'), '--listen', '0.0.0.0:1']);
  assert.equal(code, 2);
  assert.match(err, /--listen: .*--tls-listen.*--insecure-http/);
});

test('a reader that goes away is no reason to complain', async (t) => {
  const child = start(t, ['serve', '--help']);
  child.stdout.destroy();
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  assert.deepEqual([code, err], [0, '']);
});

test('a start that is stopped by a signal ends in order, with 0', async (t) => {
  const data = await mkdtemp(join(tmpdir(), 'fleetshift-main-'));
  t.after(() => rm(data, { recursive: true, force: true }));
  const child = start(t, ['serve', '--data', data, '--listen', '127.0.0.1:0', '--tls-listen', 'none']);
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes('"msg":"serving"')) child.kill('SIGTERM');
  }
  const code = child.exitCode ?? (await once(child, 'exit'))[0];
  assert.equal(code, 0);
});

function start(t: TestContext, args: readonly string[]) {
  const child = startCommand(args);
  t.after(() => child.kill('SIGKILL'));
  return child;
}

async function run(t: TestContext, args: readonly string[]) {
  const child = start(t, args);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { out, err, code: Number(code) };
}
