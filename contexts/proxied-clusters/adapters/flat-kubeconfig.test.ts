import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadKubeConfig, type Material, parseKubeConfig } from '#kit/kube';
import { Secret } from '#kit/std';
import { flattenKubeconfig } from './flat-kubeconfig.ts';

function revealed(material: Material | undefined): string | undefined {
  return material?.kind === 'text' ? material.text.reveal() : undefined;
}

test('a kubeconfig that names files becomes one that names none, and means the same', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fs-flat-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const name of ['ca', 'cert', 'key', 'token']) await writeFile(join(folder, name), `the ${name}\n`);
  const file = join(folder, 'config');
  const cluster = {
    server: 'https://one.example/below',
    'certificate-authority': 'ca',
    'tls-server-name': 'inside',
    'proxy-url': 'http://proxy.example:3128',
  };
  const user = {
    'client-certificate': 'cert',
    'client-key': 'key',
    tokenFile: 'token',
    as: 'robot',
    'as-uid': '7',
    'as-groups': ['a', 'b'],
    'as-user-extra': { scopes: ['x'] },
  };
  await writeFile(
    file,
    JSON.stringify({
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'team' } }],
    }),
  );
  const config = await loadKubeConfig({ file, context: 'x', environment: {} }, t.signal);
  const flat = parseKubeConfig(await flattenKubeconfig(config, t.signal));
  const { ca, identity, ...rest } = flat;
  const { ca: _, identity: __, ...before } = config;
  assert.deepEqual(rest, before);
  assert.deepEqual([ca, identity.certificate?.cert, identity.certificate?.key, identity.token].map(revealed), [
    'the ca\n',
    'the cert\n',
    'the key\n',
    'the token',
  ]);
  assert.equal(await flattenKubeconfig(flat, t.signal), await flattenKubeconfig(config, t.signal));
});

test('what is not there is not written', async (t) => {
  const token = { kind: 'text', text: new Secret('t') } as const;
  const text = await flattenKubeconfig({ server: 'https://x/', namespace: 'default', identity: { token } }, t.signal);
  assert.deepEqual(JSON.parse(text).users, [{ name: 'cluster', user: { token: 't' } }]);
});
