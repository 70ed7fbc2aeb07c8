import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { isKubeError } from '#kit/kube';
import { sleep } from '#kit/std';
import { memoryLogger } from '#kit/telemetry/testing';
import { configFingerprint } from '#runtime/cluster-agent/clusters/cluster-source';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { KubeconfigFile } from './kubeconfig-file.ts';

function kubeconfig(servers: Readonly<Record<string, string>>, token = 't'): string {
  const names = Object.keys(servers);
  return JSON.stringify({
    'current-context': names[0],
    clusters: names.map((name) => ({ name, cluster: { server: servers[name] } })),
    users: [{ name: 'me', user: { token } }],
    contexts: names.map((name) => ({ name, context: { cluster: name, user: 'me' } })),
  });
}

async function stage(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'fs-kubeconfig-'));
  const path = join(folder, 'config');
  const { log, lines } = memoryLogger();
  const file = new KubeconfigFile({ file: path, environment: {}, sleep, log, lookEveryMs: 5 });
  const over = new AbortController();
  t.after(() => rm(folder, { recursive: true }));
  const run = (): void => {
    const running = file.run(over.signal);
    t.after(async () => {
      over.abort();
      await running;
    });
  };
  return { file, lines, run, write: (text: string) => writeFile(path, text), remove: () => rm(path) };
}

suite('a kubeconfig file', () => {
  test('has a source for each context, and tells them of a change', async (t) => {
    const { file, write, run } = await stage(t);
    await write(kubeconfig({ a: 'https://a', b: 'https://b' }));
    const [a, current] = [await file.context('a', t.signal), await file.context(undefined, t.signal)];
    assert.equal((await a.read(t.signal)).server, 'https://a/');
    assert.equal((await current.read(t.signal)).server, 'https://a/');
    const told: string[] = [];
    const unsubscribe = a.onChanged(() => told.push('a'));
    current.onChanged(() => told.push('current'));
    run();
    await write(kubeconfig({ b: 'https://b2', a: 'https://a2' }));
    await eventually('both to hear of it', () => told.includes('a') && told.includes('current'));
    assert.equal((await a.read(t.signal)).server, 'https://a2/');
    assert.equal((await current.read(t.signal)).server, 'https://b2/');
    unsubscribe();
    told.length = 0;
    await write(kubeconfig({ b: 'https://b3', a: 'https://a3' }));
    await eventually('one to hear of it', () => told.includes('current'));
    assert.ok(!told.includes('a'));
  });

  test('that cannot be used at the start is refused', async (t) => {
    const { file, write } = await stage(t);
    await assert.rejects(file.context('a', t.signal), (error) => isKubeError(error, 'CONFIG_NOT_FOUND'));
    await write(kubeconfig({ a: 'https://a' }));
    await assert.rejects(file.context('b', t.signal), (error) => isKubeError(error, 'CONFIG_INVALID'));
  });

  for (const { why, harm } of [
    { why: 'is gone', harm: 'remove' },
    { why: 'is no kubeconfig', harm: ': no yaml [' },
    { why: 'has lost the context', harm: kubeconfig({ b: 'https://b' }) },
  ]) {
    test(`that ${why} leaves everything as it was, and that is said once`, async (t) => {
      const { file, write, remove, run, lines } = await stage(t);
      await write(kubeconfig({ a: 'https://a' }));
      const source = await file.context('a', t.signal);
      let reads = 0;
      source.onChanged(() => (reads += 1));
      run();
      if (harm === 'remove') await remove();
      else await write(harm);
      await eventually('it to be noticed', () => (harm === 'remove' ? lines.length > 0 : reads > 0));
      for (const _ of [1, 2]) assert.equal((await source.read(t.signal)).server, 'https://a/');
      assert.ok(lines.length >= 1 && lines.every(({ level }) => level === 'warn'));
      assert.ok(!JSON.stringify(lines).includes('no yaml ['), 'what is in it is quoted nowhere');
    });
  }
});

test('a fingerprint tells tokens apart without telling them', async (t) => {
  const { file, write } = await stage(t);
  const read = async (token: string): Promise<string> => {
    await write(kubeconfig({ a: 'https://a' }, token));
    return configFingerprint(await (await file.context('a', t.signal)).read(t.signal));
  };
  const one = await read('sesame');
  assert.notEqual(one, await read('sesamo'));
  assert.equal(one, await read('sesame'));
  assert.ok(!one.includes('sesame'));
});
