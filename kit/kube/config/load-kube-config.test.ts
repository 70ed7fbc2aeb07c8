import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { KubeConfig, Material } from './kube-config.ts';
import { loadKubeConfig, parseKubeConfig } from './load-kube-config.ts';

const signal = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'fleetshift-kubeconfig-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

interface Parts {
  readonly current?: string;
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
}

/** A kubeconfig with one of each, all with the same name. JSON is YAML. */
function kubeconfig(name: string, { current = name, cluster = {}, user = {}, context = {} }: Parts = {}): string {
  return JSON.stringify({
    kind: 'Config',
    'current-context': current,
    clusters: [{ name, cluster: { server: `https://${name}.example.com`, ...cluster } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, ...context } }],
  });
}

function secretOf(material: Material | undefined): string | undefined {
  return material?.kind === 'text' ? material.text.reveal() : material?.path;
}

describe('finding kubeconfigs', () => {
  const [one, two] = [file('one', kubeconfig('one', { user: { token: 'from-one' } })), file('two', kubeconfig('two'))];
  const missing = join(folder, 'missing');
  const load = (
    options: Omit<Parameters<typeof loadKubeConfig>[0], 'environment'>,
    environment: Record<string, string> = {},
  ) => loadKubeConfig({ environment, ...options }, signal);

  it('takes the file that it is told, and no other', async () => {
    assert.equal((await load({ file: two }, { KUBECONFIG: one })).server, 'https://two.example.com/');
    await assert.rejects(load({ file: missing }, { KUBECONFIG: one }), { code: 'CONFIG_NOT_FOUND' });
  });

  it('merges those of KUBECONFIG, and passes over what is missing', async () => {
    const KUBECONFIG = [missing, one, '', two].join(delimiter);
    assert.equal(
      (await load({}, { KUBECONFIG })).server,
      'https://one.example.com/',
      'the first that names a current one',
    );
    assert.equal((await load({ context: 'two' }, { KUBECONFIG })).server, 'https://two.example.com/');
    const mixed = await load({ cluster: 'two', user: 'one' }, { KUBECONFIG });
    assert.equal(mixed.server, 'https://two.example.com/');
    assert.equal(secretOf(mixed.identity.token), 'from-one');
  });

  it('gives a name to whoever has it first, whole', async () => {
    const first = file('first', kubeconfig('same', { cluster: { server: 'https://first.example.com' } }));
    const second = file(
      'second',
      kubeconfig('same', { cluster: { server: 'https://second.example.com', 'tls-server-name': 'x' } }),
    );
    const config = await load({}, { KUBECONFIG: [first, second].join(delimiter) });
    assert.equal(config.server, 'https://first.example.com/');
    assert.equal(config.serverName, undefined);
  });

  it('looks at home when nothing is said', async () => {
    file('home/.kube/config', kubeconfig('home'));
    assert.equal((await load({}, { HOME: join(folder, 'home') })).server, 'https://home.example.com/');
    await assert.rejects(load({}, { HOME: missing }), { code: 'CONFIG_NOT_FOUND' });
    await assert.rejects(load({}), { code: 'CONFIG_NOT_FOUND' });
  });

  it('begins paths at the file that they stand in', async () => {
    const user = {
      'client-certificate': 'certs/me.crt',
      'client-key': '/abs/me.key',
      tokenFile: '../token',
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin' },
    };
    const nested = file(
      'nested/deep/config',
      kubeconfig('paths', { user, cluster: { 'certificate-authority': 'ca.crt' } }),
    );
    const config = await load({ context: 'paths' }, { KUBECONFIG: [one, nested].join(delimiter) });
    const at = (path: string) => join(folder, 'nested', path);
    assert.equal(secretOf(config.ca), at('deep/ca.crt'));
    assert.equal(secretOf(config.identity.certificate?.cert), at('deep/certs/me.crt'));
    assert.equal(secretOf(config.identity.certificate?.key), '/abs/me.key');
    assert.equal(secretOf(config.identity.token), at('token'));
    assert.equal(config.identity.exec?.command, at('deep/plugin'));
  });

  it('falls back to the service account of its Pod', async () => {
    const environment = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
    await assert.rejects(load({}, environment), { code: 'CONFIG_NOT_FOUND' }, 'there is none on this machine');
    const account = mkdtempSync(join(folder, 'account-'));
    writeFileSync(join(account, 'namespace'), 'team-a');
    const found = await load({}, { ...environment, SERVICE_ACCOUNT_FOLDER: account });
    assert.deepEqual([found.server, found.namespace], ['https://10.0.0.1:443/', 'team-a']);
    assert.equal((await load({}, { ...environment, KUBECONFIG: one })).server, 'https://one.example.com/');
  });

  it('says where a file is wrong, and shows nothing of it', async () => {
    const broken = file('broken', 'clusters:\n- name: x\n  token: "s3cr3t\n');
    await assert.rejects(load({ file: broken }), (error: Error & { code: string }) => {
      assert.equal(error.code, 'CONFIG_INVALID');
      assert.ok(!`${error.message}${String(error.cause)}`.includes('s3cr3t'));
      return true;
    });
  });
});

describe('reading a kubeconfig', () => {
  const parse = (parts: Parts): KubeConfig => parseKubeConfig(kubeconfig('c', parts));
  const data = (text: string) => Buffer.from(text).toString('base64');

  it('reads what a cluster can say', () => {
    const cluster = {
      'certificate-authority-data': data('CA'),
      'tls-server-name': 'kubernetes',
      'proxy-url': 'http://proxy:3128',
      'disable-compression': true,
    };
    const config = parse({ cluster, context: { namespace: 'team' } });
    assert.equal(secretOf(config.ca), 'CA');
    const { serverName, proxyUrl, disableCompression, namespace, insecureSkipVerify } = config;
    assert.deepEqual(
      { serverName, proxyUrl, disableCompression, namespace, insecureSkipVerify },
      {
        serverName: 'kubernetes',
        proxyUrl: 'http://proxy:3128/',
        disableCompression: true,
        namespace: 'team',
        insecureSkipVerify: undefined,
      },
    );
    assert.equal(parse({}).namespace, 'default');
    assert.equal(parse({ cluster: { 'insecure-skip-tls-verify': true } }).insecureSkipVerify, true);
  });

  it('reads whom to impersonate', () => {
    const user = { as: 'jane', 'as-uid': '42', 'as-groups': ['dev', 'ops'], 'as-user-extra': { scopes: ['a', 'b'] } };
    const want = { user: 'jane', uid: '42', groups: ['dev', 'ops'], extra: { scopes: ['a', 'b'] } };
    assert.deepEqual(parse({ user }).impersonate, want);
    assert.throws(() => parse({ user: { 'as-groups': ['dev'] } }), { code: 'CONFIG_INVALID' });
  });

  it('keeps secrets from being printed', () => {
    const config = parse({
      user: { token: 's3cr3t', 'client-certificate-data': data('CERT'), 'client-key-data': data('s3cr3t') },
    });
    assert.ok(!JSON.stringify(config).includes('s3cr3t'));
    assert.equal(secretOf(config.identity.certificate?.key), 's3cr3t');
  });

  const refused: { why: string; parts: Parts; code: string }[] = [
    { why: 'passwords are of the past', parts: { user: { username: 'a', password: 'b' } }, code: 'CONFIG_UNSUPPORTED' },
    { why: 'so are providers', parts: { user: { 'auth-provider': { name: 'gcp' } } }, code: 'CONFIG_UNSUPPORTED' },
    { why: 'text names no file of ours', parts: { user: { tokenFile: '/etc/shadow' } }, code: 'CONFIG_UNSUPPORTED' },
    {
      why: 'nor any by a relative path',
      parts: { cluster: { 'certificate-authority': 'ca' } },
      code: 'CONFIG_UNSUPPORTED',
    },
    {
      why: 'text runs no program of ours',
      parts: { user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh' } } },
      code: 'CONFIG_UNSUPPORTED',
    },
    {
      why: 'a key belongs to a certificate',
      parts: { user: { 'client-key-data': data('x') } },
      code: 'CONFIG_INVALID',
    },
    {
      why: 'verify or not',
      parts: { cluster: { 'insecure-skip-tls-verify': true, 'certificate-authority-data': data('x') } },
      code: 'CONFIG_INVALID',
    },
    { why: 'a server is an address', parts: { cluster: { server: 'example.com' } }, code: 'CONFIG_INVALID' },
    { why: 'a cluster has a server', parts: { cluster: { server: '' } }, code: 'CONFIG_INVALID' },
    {
      why: 'a token does not go over the network unencrypted',
      parts: { cluster: { server: 'http://example.com' }, user: { token: 'x' } },
      code: 'CONFIG_UNSUPPORTED',
    },
    { why: 'no other proxies', parts: { cluster: { 'proxy-url': 'socks5://proxy' } }, code: 'CONFIG_UNSUPPORTED' },
    { why: 'the current context is there', parts: { current: 'other' }, code: 'CONFIG_INVALID' },
    { why: 'its cluster is there', parts: { context: { cluster: 'other' } }, code: 'CONFIG_INVALID' },
    { why: 'its user is there', parts: { context: { user: 'other' } }, code: 'CONFIG_INVALID' },
    { why: 'text is text', parts: { user: { token: 7 } }, code: 'CONFIG_INVALID' },
  ];
  for (const { why, parts, code } of refused) it(`refuses: ${why}`, () => assert.throws(() => parse(parts), { code }));

  it('refuses a name that is there twice', () => {
    const twice = [
      { name: 'a', cluster: {} },
      { name: 'a', cluster: {} },
    ];
    assert.throws(() => parseKubeConfig(JSON.stringify({ clusters: twice })), { code: 'CONFIG_INVALID' });
  });

  it('lets a token go to this machine unencrypted, as to a kubectl proxy', () => {
    assert.ok(parse({ cluster: { server: 'http://127.0.0.1:8001' }, user: { token: 'x' } }).identity.token);
  });
});
