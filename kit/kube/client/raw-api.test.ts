import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { Secret } from '#kit/std';
import type { KubeConfig, Material } from '../config/kube-config.ts';
import { PROTOCOLS } from '../testing/fake-client.ts';
import { createRawApi, type RawApi, type RawIdentity } from './raw-api.ts';

const signal = new AbortController().signal;
const { tls } = PROTOCOLS['HTTP/1.1 over TLS'];

interface Seen {
  readonly authorization: string | undefined;
  readonly hasCertificate: boolean;
  readonly url: string | undefined;
}

/** A server that asks for client certificates, and reports what it saw. */
async function stage(t: TestContext, config: Partial<KubeConfig> = {}) {
  const seen: Seen[] = [];
  const connections = new Set<object>();
  const server = createServer({ ...tls, requestCert: true, rejectUnauthorized: false }, (asked, response) => {
    const socket = asked.socket as TLSSocket;
    connections.add(socket);
    const hasCertificate = Object.keys(socket.getPeerCertificate()).length > 0;
    seen.push({ authorization: asked.headers.authorization, hasCertificate, url: asked.url });
    if (asked.url !== '/stay') response.end('{}');
    else response.write('{');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const ca: Material = { kind: 'text', text: new Secret(tls.cert) };
  const api = createRawApi({
    config: { server: `https://localhost:${port}/root/`, namespace: 'default', identity: {}, ca, ...config },
  });
  t.after(async () => {
    await api.close();
    server.closeAllConnections();
    await once(server.close(), 'close');
  });
  return { api, seen, connections };
}

async function ask(api: RawApi, identity: RawIdentity, path = '/version'): Promise<IncomingMessage> {
  const { agent, headers, root } = await api.way(identity, signal);
  const outgoing = request({ agent, headers: { ...headers }, path: path === '/stay' ? path : `${root}${path}` }).end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return answer;
}

async function asked(api: RawApi, identity: RawIdentity): Promise<void> {
  (await ask(api, identity)).resume();
}

const text = (content: string): Material => ({ kind: 'text', text: new Secret(content) });

describe('a server for those who forward', () => {
  it('is shown what the kubeconfig has, below the path that it has', async (t) => {
    const { api, seen } = await stage(t, { identity: { token: text('mine') } });
    await asked(api, 'own');
    assert.deepEqual(seen, [{ authorization: 'Bearer mine', hasCertificate: false, url: '/root/version' }]);
  });

  it('is shown no certificate for whoever brings credentials of his own', async (t) => {
    const identity = { certificate: { cert: text(tls.cert), key: text(tls.key) }, token: text('mine') };
    const { api, seen } = await stage(t, { identity });
    await asked(api, 'own');
    await asked(api, 'none');
    await asked(api, 'own');
    const shown = seen.map(({ authorization, hasCertificate }) => [authorization, hasCertificate]);
    assert.deepEqual(shown, [
      ['Bearer mine', true],
      [undefined, false],
      ['Bearer mine', true],
    ]);
  });

  it('is reached by connections that are used again', async (t) => {
    const { api, connections } = await stage(t);
    for (let count = 0; count < 5; count += 1) {
      const answer = await ask(api, 'own');
      answer.resume();
      await once(answer, 'close');
    }
    assert.equal(connections.size, 1);
  });

  it('is shown the next token once it has refused one', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'fleetshift-raw-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'token');
    await writeFile(path, 'old');
    const { api, seen } = await stage(t, { identity: { token: { kind: 'file', path } } });
    const way = await api.way('own', signal);
    assert.equal(way.headers['authorization'], 'Bearer old');
    await writeFile(path, 'new');
    way.refused();
    await asked(api, 'own');
    assert.equal(seen[0]?.authorization, 'Bearer new');
  });

  it('is an error of the kit where it cannot be trusted', async (t) => {
    const { api } = await stage(t, { serverName: 'elsewhere' });
    const { agent, headers } = await api.way('own', signal);
    const outgoing = request({ agent, headers: { ...headers }, path: '/' }).end();
    const [error] = await once(outgoing, 'error');
    assert.equal((error as { readonly code: string }).code, 'CERTIFICATE_REFUSED');
  });

  it('is cut off at the end, and not asked any more', async (t) => {
    const { api } = await stage(t);
    const answer = await ask(api, 'own', '/stay');
    const ended = once(answer, 'error');
    await api.close();
    await ended;
    await assert.rejects(api.way('own', signal), { code: 'CLOSED' });
  });

  it('is none that a kubeconfig asks as somebody else', () => {
    const config = { server: 'https://x', namespace: 'default', identity: {}, impersonate: { user: 'root' } };
    assert.throws(() => createRawApi({ config }), { code: 'CONFIG_UNSUPPORTED' });
  });
});
