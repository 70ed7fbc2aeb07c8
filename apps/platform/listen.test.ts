import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect } from 'node:tls';

import { testServer } from '../../kit/http/testing/test-server.ts';
import { listenHttp, listenTls } from './listen.ts';
import { ownCertificate } from './tls/own-certificate.ts';

const ANYWHERE = { host: '127.0.0.1', port: 0 };

test('a renewed certificate is served to the next connection, and nothing older than TLS 1.2 ever', async (t) => {
  const folder = temporaryFolder(t);
  const { server } = await testServer([]);
  t.after(() => server.close(1_000));
  const source = ownCertificate({ folder, names: ['localhost'] });
  // Old enough to be renewed, and still valid.
  const first = source.current(Date.now() - 61 * 86_400_000);
  const listener = await listenTls(server, ANYWHERE, { certificate: first });
  const ca = readFileSync(join(folder, 'ca.crt'), 'utf8');
  assert.equal(await servedTo({ port: listener.port, ca }), serialOf(first.chain));

  const second = source.current(Date.now());
  listener.install(second);
  assert.equal(await servedTo({ port: listener.port, ca }), serialOf(second.chain));
  // This client would still accept it.
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  await assert.rejects(servedTo({ port: listener.port, ca, ...old }), { code: /PROTOCOL_VERSION/ });
});

for (const { why, host, says } of [
  { why: 'an address of another machine', host: '192.0.2.1', says: /--listen 192\.0\.2\.1:\d+: this machine has no/ },
  {
    why: 'an address that is taken, naming the flags that choose another',
    host: '127.0.0.1',
    says: /--listen 127\.0\.0\.1:\d+: another program.* --listen, --tls-listen and --fleetlet-listen \(port 0/,
  },
]) {
  test(`refused: ${why}`, async (t) => {
    const { server } = await testServer([]);
    t.after(() => server.close(1_000));
    const { port } = await listenHttp(server, ANYWHERE);
    await assert.rejects(listenHttp(server, { host, port }), { code: 'ADDRESS_UNUSABLE', message: says });
  });
}

interface Target {
  readonly port: number;
  readonly ca: string;
  readonly minVersion?: 'TLSv1';
  readonly maxVersion?: 'TLSv1.1';
  readonly ciphers?: string;
}

async function servedTo(target: Target): Promise<string> {
  const socket = connect({ host: '127.0.0.1', servername: 'localhost', ...target });
  try {
    await once(socket, 'secureConnect');
    return socket.getPeerX509Certificate()?.serialNumber ?? '';
  } finally {
    socket.destroy();
  }
}

function serialOf(chain: string): string {
  return new X509Certificate(chain).serialNumber;
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-listen-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
