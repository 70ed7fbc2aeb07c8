import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Secret } from '#kit/std';
import { FakeClock } from '#testing/fake-clock';
import { createCredentials } from './create-credentials.ts';
import { ExecCredentials } from './exec-credentials.ts';
import type { ExecPlugin } from './kube-config.ts';

const signal = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'fleetshift-credentials-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newFile = (text = ''): string => {
  files += 1;
  const path = join(folder, `file-${files}`);
  writeFileSync(path, text);
  return path;
};

describe('credentials from files', () => {
  it('are read again when they may have changed, and are the same object while they have not', async () => {
    const [path, clock] = [newFile('first\n'), new FakeClock()];
    const credentials = createCredentials({ token: { kind: 'file', path } }, clock);
    const first = await credentials.current(signal);
    assert.equal(first.token?.reveal(), 'first');
    writeFileSync(path, 'second\n');
    assert.equal(await credentials.current(signal), first);
    await clock.advance(10_000);
    assert.equal((await credentials.current(signal)).token?.reveal(), 'second');
  });

  it('are read at once after they were refused', async () => {
    const [cert, key] = [newFile('cert 1'), newFile('key 1')];
    const certificate = { cert: { kind: 'file', path: cert }, key: { kind: 'file', path: key } } as const;
    const credentials = createCredentials({ certificate }, new FakeClock());
    const first = await credentials.current(signal);
    writeFileSync(cert, 'cert 2');
    writeFileSync(key, 'key 2');
    credentials.refused(first);
    const second = await credentials.current(signal);
    assert.equal(second.certificate?.cert, 'cert 2');
    assert.equal(second.certificate?.key.reveal(), 'key 2');
    credentials.refused(first);
    assert.equal(await credentials.current(signal), second, 'what was refused is not what there is now');
  });

  it('say so when they cannot be read', async () => {
    const from = (path: string) =>
      createCredentials({ token: { kind: 'file', path } }, new FakeClock()).current(signal);
    await assert.rejects(from(join(folder, 'missing')), { code: 'CREDENTIALS_UNAVAILABLE' });
    await assert.rejects(from(newFile('\n')), { code: 'CREDENTIALS_UNAVAILABLE' });
  });
});

describe('credentials from a plugin', () => {
  const clock = new FakeClock();
  /** A plugin that prints the given status; `runs` is how often it ran. */
  function plugin(status: object | string, more: Partial<ExecPlugin> = {}) {
    const log = newFile();
    const printed =
      typeof status === 'string'
        ? status
        : JSON.stringify({ kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', status });
    const script = `echo "$KUBERNETES_EXEC_INFO|$EXTRA|$(cat)" >> ${log}; printf '%s' '${printed}' | sed "s/COUNT/$(wc -l < ${log} | tr -d ' ')/"`;
    const exec: ExecPlugin = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'sh',
      args: ['-c', script],
      env: {},
      environment: { PATH: process.env['PATH'] },
      ...more,
    };
    const runs = () => readFileSync(log, 'utf8').split('\n').filter(Boolean);
    return { credentials: createCredentials({ exec }, clock), exec, runs };
  }

  it('are asked for once, however many want them', async () => {
    const { credentials, runs } = plugin({ token: 'token-COUNT' });
    const all = await Promise.all(Array.from({ length: 5 }, () => credentials.current(signal)));
    assert.deepEqual(new Set(all.map(({ token }) => token?.reveal())), new Set(['token-1']));
    assert.equal(runs().length, 1);
    assert.equal(await credentials.current(signal), all[0]);
  });

  it('are asked for again when they expire', async () => {
    const expirationTimestamp = new Date(clock.now() + 60_000).toISOString();
    const { credentials } = plugin({ token: 'token-COUNT', expirationTimestamp });
    assert.equal((await credentials.current(signal)).token?.reveal(), 'token-1');
    await clock.advance(59_000);
    assert.equal((await credentials.current(signal)).token?.reveal(), 'token-1');
    await clock.advance(1000);
    assert.equal((await credentials.current(signal)).token?.reveal(), 'token-2');
  });

  it('are asked for again when they were refused, once for all who were', async () => {
    const { credentials, runs } = plugin({ token: 'token-COUNT' });
    const first = await credentials.current(signal);
    credentials.refused(first);
    const second = await credentials.current(signal);
    assert.equal(second.token?.reveal(), 'token-2');
    credentials.refused(first);
    assert.equal(await credentials.current(signal), second);
    assert.equal(runs().length, 2);
  });

  it('are not thrown away because older ones were refused', async () => {
    const { exec, runs } = plugin({ token: 'token-COUNT' });
    const credentials = new ExecCredentials(exec, clock);
    const first = await credentials.current(signal);
    credentials.refused(first);
    const second = await credentials.current(signal);
    credentials.refused(first);
    assert.equal(await credentials.current(signal), second);
    assert.equal(runs().length, 2);
  });

  it('may be a certificate', async () => {
    const { credentials } = plugin({ clientCertificateData: 'CERT', clientKeyData: 'KEY' });
    const { certificate, token } = await credentials.current(signal);
    assert.deepEqual([certificate?.cert, certificate?.key.reveal(), token], ['CERT', 'KEY', undefined]);
  });

  it('tell the plugin what it may know, and give it nobody to ask', async () => {
    const cluster = { server: 'https://example.com', config: { audience: 'x' } };
    const { credentials, runs } = plugin({ token: 'x' }, { cluster, env: { EXTRA: 'more' } });
    await credentials.current(signal);
    const [info = '', extra, input] = (runs()[0] ?? '').split('|');
    assert.deepEqual(JSON.parse(info), {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: { interactive: false, cluster },
    });
    assert.deepEqual([extra, input], ['more', '']);
  });

  it('come after a token that the kubeconfig names', async () => {
    const { exec } = plugin({ token: 'from-plugin' });
    const token = { kind: 'text', text: new Secret('named') } as const;
    assert.equal((await createCredentials({ exec, token }, clock).current(signal)).token?.reveal(), 'named');
  });

  const bad: { why: string; status: object | string; more?: Partial<ExecPlugin> }[] = [
    { why: 'no JSON', status: 's3cr3t' },
    { why: 'no credential', status: '{"kind":"Secret"}' },
    {
      why: 'another version',
      status: '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v2","status":{"token":"s3cr3t"}}',
    },
    { why: 'neither token nor certificate', status: {} },
    { why: 'a certificate without key', status: { clientCertificateData: 's3cr3t' } },
    { why: 'an expiry that is no time', status: { token: 's3cr3t', expirationTimestamp: 'soon' } },
    { why: 'a program that is not there', status: {}, more: { command: '/not/there', installHint: 'get it' } },
    { why: 'a program that gives up', status: {}, more: { args: ['-c', 'echo please log in >&2; exit 3'] } },
  ];
  for (const { why, status, more } of bad) {
    it(`are not to be had from: ${why}`, async () => {
      await assert.rejects(plugin(status, more).credentials.current(signal), (error: Error & { code: string }) => {
        assert.equal(error.code, 'CREDENTIALS_UNAVAILABLE');
        assert.ok(!error.message.includes('s3cr3t'));
        return true;
      });
    });
  }

  it('are asked for again after a plugin gave up', async () => {
    const marker = join(folder, 'ready');
    const script = `test -e ${marker} || exit 1; echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"x"}}'`;
    const { credentials } = plugin({}, { args: ['-c', script] });
    await assert.rejects(credentials.current(signal), { code: 'CREDENTIALS_UNAVAILABLE' });
    writeFileSync(marker, '');
    assert.equal((await credentials.current(signal)).token?.reveal(), 'x');
  });
});
