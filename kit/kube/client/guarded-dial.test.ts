import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { parseIpNetwork } from '#kit/std';
import { createDialGuard } from '#kit/transport/dial';
import { fakeClient, PROTOCOLS } from '../testing/fake-client.ts';
import { CORE } from './core-resources.ts';
import { createKubeClient } from './create-kube-client.ts';
import { checkAddress } from './dial.ts';
import { createRawApi } from './raw-api.ts';

const { signal } = new AbortController();
const maps = { resource: CORE.configMaps, namespace: 'default' };
const LOOPBACK = parseIpNetwork('127.0.0.0/8') ?? assert.fail();

function guard(allow: readonly (typeof LOOPBACK)[], addresses: readonly string[] = ['127.0.0.1']) {
  const asked: string[] = [];
  const resolve = async (host: string) => {
    asked.push(host);
    return addresses.map((address) => ({ address, family: 4 }));
  };
  return { asked, guard: createDialGuard({ allow, own: () => [], setting: '--dial-allow', resolve }) };
}

/** Connects to any requested address, at loopback. */
async function proxy(t: TestContext): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createHttpServer().listen(0, '127.0.0.1');
  server.on('connect', ({ url = '' }, socket) => {
    asked.push(url);
    const onward = connect(Number(url.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const each of [socket, onward]) each.on('error', () => each.destroy());
    t.after(() => onward.destroy());
  });
  t.after(() => void server.close());
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

for (const protocol of ['HTTP/2', 'HTTP/1.1 over TLS', 'plain HTTP/1.1'] as const) {
  describe(`a guarded client, ${protocol}`, () => {
    const list = async (t: TestContext, given: ReturnType<typeof guard>, change: object = {}): Promise<void> => {
      const { fake } = await fakeClient(t, PROTOCOLS[protocol]);
      const config = { ...fake.config, ...change };
      const client = createKubeClient({ config, guard: given.guard });
      t.after(() => client.close());
      await client.list(maps, {}, signal);
    };

    it('connects to the address that was checked, by the name that was given', async (t) => {
      await list(t, guard([LOOPBACK]));
    });

    it('sends nothing where it may not dial', async (t) => {
      await assert.rejects(list(t, guard([])), { code: 'ADDRESS_REFUSED' });
    });

    it('checks the proxy, and passes the name of the server on', async (t) => {
      const { url, asked } = await proxy(t);
      await list(t, guard([LOOPBACK]), { proxyUrl: url });
      assert.equal(asked.length, 1);
      await assert.rejects(list(t, guard([]), { proxyUrl: url }), { code: 'ADDRESS_REFUSED' });
      assert.equal(asked.length, 1, 'it is not even asked');
    });
  });
}

describe('a guarded way for requests of others', () => {
  it('is none where it may not be dialled', async (t) => {
    const { fake } = await fakeClient(t, PROTOCOLS['HTTP/2']);
    const api = createRawApi({ config: fake.config, guard: guard([]).guard });
    t.after(() => api.close());
    const { agent } = await api.way('none', signal);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    (agent as unknown as { createConnection(_: object, then: (error: unknown) => void): void }).createConnection(
      {},
      resolve,
    );
    assert.equal(((await promise) as { code?: string }).code, 'ADDRESS_REFUSED');
  });
});

describe('the check of an address', () => {
  it('resolves a name once, and no name behind a proxy', async () => {
    const direct = guard([LOOPBACK]);
    await checkAddress({ server: 'https://cluster.example' }, direct.guard, signal);
    const behind = guard([LOOPBACK]);
    await checkAddress({ server: 'https://cluster.example', proxyUrl: 'http://proxy.example' }, behind.guard, signal);
    assert.deepEqual([direct.asked, behind.asked], [['cluster.example'], ['proxy.example']]);
  });

  it('looks at an address behind a proxy all the same', async () => {
    const given = { server: 'https://169.254.169.254', proxyUrl: 'http://127.0.0.1:3128' };
    await assert.rejects(checkAddress(given, guard([LOOPBACK]).guard, signal), { code: 'ADDRESS_REFUSED' });
  });
});
