import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { configMap } from '../testing/contract/stage.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { fakeClient, PROTOCOLS } from '../testing/fake-client.ts';
import { waitFor } from '../testing/wait-for.ts';
import { CORE } from './core-resources.ts';
import { createKubeClient } from './create-kube-client.ts';
import type { RequestReport } from './exchange.ts';

const signal = new AbortController().signal;
const maps = { resource: CORE.configMaps, namespace: 'default' };
type Test = { after(fn: () => Promise<void> | void): void };

for (const protocol of ['HTTP/2', 'HTTP/1.1 over TLS'] as const) {
  describe(`TLS, ${protocol}`, () => {
    const reach = async (t: Test, change: object): Promise<void> => {
      const { fake } = await fakeClient(t, PROTOCOLS[protocol]);
      const client = createKubeClient({ config: { ...fake.config, ...change } });
      t.after(() => client.close());
      await client.list(maps, {}, signal);
    };
    const elsewhere = (server: string) => server.replace('localhost', '127.0.0.1');

    it('does not trust whom it was not told to', async (t) => {
      await assert.rejects(reach(t, { ca: undefined }), { code: 'CERTIFICATE_REFUSED' });
    });

    it('does not trust a certificate for another name', async (t) => {
      const { fake } = await fakeClient(t, PROTOCOLS[protocol]);
      const client = createKubeClient({ config: { ...fake.config, server: elsewhere(fake.url) } });
      await assert.rejects(client.list(maps, {}, signal), { code: 'CERTIFICATE_REFUSED' });
      await client.close();
      const named = createKubeClient({
        config: { ...fake.config, server: elsewhere(fake.url), serverName: 'localhost' },
      });
      await named.list(maps, {}, signal);
      await named.close();
    });

    it('verifies unless the configuration says not to, whatever the environment says', async (t) => {
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
      t.after(() => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']);
      await assert.rejects(reach(t, { ca: undefined }), { code: 'CERTIFICATE_REFUSED' });
      await reach(t, { ca: undefined, insecureSkipVerify: true });
    });
  });
}

describe('connections', () => {
  it('carry everything together, HTTP/2', async (t) => {
    const { fake, client } = await fakeClient(t, PROTOCOLS['HTTP/2']);
    await Promise.all(Array.from({ length: 50 }, () => client.list(maps, {}, signal)));
    assert.equal(fake.connections, 1);
  });

  it('carry many large objects at once', async (t) => {
    const { fake, client } = await fakeClient(t, PROTOCOLS['HTTP/2']);
    const data = { text: 'x'.repeat(1024 * 1024) };
    const made = Array.from({ length: 60 }, (_, index) =>
      client.create(maps, configMap(`big-${index}`, data), {}, signal),
    );
    await Promise.all(made);
    assert.equal(fake.api.store.list(maps).length, 60);
    assert.equal((await client.list(maps, {}, signal)).items.length, 60);
  });

  it('are bounded, HTTP/1.1', async (t) => {
    const { fake, client } = await fakeClient(t, {}, { limits: { maxSockets: 3 } });
    await Promise.all(Array.from({ length: 50 }, () => client.list(maps, {}, signal)));
    assert.equal(fake.connections, 3);
  });

  it('refuse one watch too many, HTTP/1.1', async (t) => {
    const { fake, client } = await fakeClient(t, {}, { limits: { maxStreams: 1 } });
    const stop = new AbortController();
    const watch = (): Promise<unknown> => Array.fromAsync(client.watch(maps, { resourceVersion: '100' }, stop.signal));
    const first = watch();
    await waitFor(() => assert.equal(fake.watches, 1), signal);
    await assert.rejects(watch(), { code: 'OVERLOADED' });
    await client.list(maps, {}, signal);
    stop.abort();
    await assert.rejects(first);
  });

  it('are replaced without loss when the server closes them politely, HTTP/2', async (t) => {
    const { fake, client } = await fakeClient(t, PROTOCOLS['HTTP/2']);
    for (let round = 0; round < 20; round += 1) {
      const requests = Array.from({ length: 20 }, () => client.list(maps, {}, signal));
      fake.sendGoaway();
      await Promise.all(requests);
    }
    assert.ok(fake.requests.length >= 400);
  });

  it('that are dead are noticed, HTTP/2', async (t) => {
    const fake = await FakeApiServer.start(PROTOCOLS['HTTP/2']);
    const line = await startLine(t, Number(new URL(fake.url).port));
    const client = createKubeClient({
      config: { ...fake.config, server: `https://localhost:${line.port}` },
      limits: { pingIntervalMs: 50, pingTimeoutMs: 100 },
    });
    t.after(async () => {
      await client.close();
      await fake.close();
    });
    const watching = Array.fromAsync(client.watch(maps, { resourceVersion: '100' }, signal));
    await waitFor(() => assert.equal(fake.watches, 1), signal);
    line.freeze();
    await assert.rejects(watching, { code: 'CONNECTION_LOST' });
  });
});

describe('a proxy', () => {
  it('is asked for a tunnel, and sees nothing of what goes through', async (t) => {
    const { fake } = await fakeClient(t, PROTOCOLS['HTTP/2']);
    const proxy = await startProxy(t, 200);
    const client = createKubeClient({
      config: { ...fake.config, proxyUrl: `http://me:s%20x@127.0.0.1:${proxy.port}` },
    });
    await client.list(maps, {}, signal);
    await client.close();
    const [asked] = proxy.asked;
    assert.equal(asked?.url, new URL(fake.url).host);
    assert.equal(asked?.headers['proxy-authorization'], `Basic ${Buffer.from('me:s x').toString('base64')}`);
  });

  it('may refuse', async (t) => {
    const { fake } = await fakeClient(t, PROTOCOLS['HTTP/2']);
    const proxy = await startProxy(t, 407);
    const client = createKubeClient({ config: { ...fake.config, proxyUrl: `http://127.0.0.1:${proxy.port}` } });
    await assert.rejects(client.list(maps, {}, signal), { code: 'PROXY_REFUSED' });
    await client.close();
  });

  it('may not be there', async (t) => {
    const { fake } = await fakeClient(t, PROTOCOLS['HTTP/2']);
    const client = createKubeClient({ config: { ...fake.config, proxyUrl: 'http://127.0.0.1:1' } });
    await assert.rejects(client.list(maps, {}, signal), { code: 'PROXY_REFUSED' });
    await client.close();
  });
});

describe('requests', () => {
  it('carry a token, and whom to impersonate', async (t) => {
    const fake = await FakeApiServer.start({ tokens: ['t0ken'] });
    const impersonate = { user: 'jane', uid: '42', groups: ['dev', 'ops'], extra: { 'example.com/Scope': ['a', 'b'] } };
    const client = createKubeClient({ config: { ...fake.config, impersonate }, userAgent: 'me/1' });
    t.after(async () => {
      await client.close();
      await fake.close();
    });
    await client.list(maps, {}, signal);
    const headers = fake.requests[0]?.headers ?? {};
    assert.equal(headers['authorization'], 'Bearer t0ken');
    assert.equal(headers['user-agent'], 'me/1');
    assert.equal(headers['impersonate-user'], 'jane');
    assert.equal(headers['impersonate-uid'], '42');
    assert.equal(headers['impersonate-group'], 'dev, ops');
    assert.equal(headers['impersonate-extra-example.com%2fscope'], 'a, b');
    assert.equal(headers['accept-encoding'], undefined, 'not on this machine');
  });

  it('take packed answers from other machines', async (t) => {
    const { fake } = await fakeClient(t);
    fake.pack = true;
    const proxied = {
      ...fake.config,
      server: 'http://far.example.com/',
      proxyUrl: `http://127.0.0.1:${await toFake(t, fake)}`,
    };
    const client = createKubeClient({ config: proxied, limits: { maxResponseBytes: 10_000 } });
    t.after(() => client.close());
    assert.deepEqual((await client.list(maps, {}, signal)).items, []);
    assert.equal(fake.requests[0]?.headers['accept-encoding'], 'gzip');
    fake.put(CORE.configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'big', namespace: 'default' },
      data: { a: 'x'.repeat(20_000) },
    } as never);
    await assert.rejects(client.list(maps, {}, signal), { code: 'RESPONSE_TOO_LARGE' }, 'counted unpacked');
  });

  it('are reported', async (t) => {
    const reports: RequestReport[] = [];
    const { fake, client } = await fakeClient(t, {}, { observe: (report) => reports.push(report) });
    await client.list(maps, {}, signal);
    await assert.rejects(client.get({ ...maps, name: 'x' }, signal));
    const { host } = new URL(fake.url);
    assert.deepEqual(
      reports.map(({ method, host: at, code }) => ({ method, host: at, code })),
      [
        { method: 'GET', host, code: '200' },
        { method: 'GET', host, code: '404' },
      ],
    );
  });

  it('find what servers from before 1.27 serve', async (t) => {
    const { fake, client } = await fakeClient(t);
    fake.api.aggregatedDiscovery = false;
    assert.deepEqual(await client.discovery.resourceFor('apps/v1', 'Deployment', signal), CORE.deployments);
    const served = await client.discovery.resources(signal);
    assert.ok(!served.some(({ plural }) => plural.includes('/')));
  });
});

/** A connection to a local port that can be frozen: open, but silent. */
async function startLine(t: Test, target: number) {
  const sockets = new Set<Socket>();
  const server = createTcpServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) sockets.add(socket.on('error', () => {}));
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const freeze = (): void => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  return { port: (server.address() as AddressInfo).port, freeze };
}

async function startProxy(t: Test, httpStatus: number) {
  const asked: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer().on('connect', (request: IncomingMessage, near: Socket) => {
    asked.push(request);
    near.write(`HTTP/1.1 ${httpStatus} As told\r\n\r\n`);
    if (httpStatus !== 200) return void near.end();
    const far = connect(Number(new URL(`http://${request.url}`).port), '127.0.0.1');
    for (const socket of [near, far]) sockets.add(socket.on('error', () => {}));
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked };
}

/** A proxy to the fake, whatever host is requested. */
async function toFake(t: Test, fake: FakeApiServer): Promise<number> {
  const server = createServer().on('connect', (_: IncomingMessage, near: Socket) => {
    near.write('HTTP/1.1 200 OK\r\n\r\n');
    const far = connect(Number(new URL(fake.url).port), '127.0.0.1');
    far.on('error', () => {});
    near
      .on('error', () => {})
      .pipe(far)
      .pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => void server.close());
  return (server.address() as AddressInfo).port;
}
