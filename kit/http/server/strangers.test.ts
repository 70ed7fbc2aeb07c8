import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as tlsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { PATIENCE_MS } from '#testing/patience';
import type { HttpLimits } from '../index.ts';
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from '../testing/localhost-certificate.ts';
import { getRoute, postRoute } from '../testing/small-routes.ts';
import { testServer } from '../testing/test-server.ts';

const HALF = 'POST /v1/open HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{';
const AS_ALICE = 'GET /v1/closed HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice\r\n\r\n';

describe('callers of whom nothing is known', { timeout: PATIENCE_MS }, () => {
  it('that send half a request do not keep others out, of any address', async (t) => {
    const { call } = await listening(t, { strangersInFlight: { total: 6, each: 4 } });
    const hostile = await Promise.all(
      [1, 2, 3, 4, 5, 6, 7, 8].map((nth) => call(nth % 2 ? '127.0.0.2' : '127.0.0.3', HALF)),
    );
    const refused = () => hostile.filter((caller) => caller.received().includes('503 '));
    while (refused().length < 2) await pause(1);
    for (const address of ['127.0.0.2', '127.0.0.4']) {
      const known = await call(address, AS_ALICE);
      assert.match(await known.until('"alice"'), /^HTTP\/1.1 200 /);
    }
    const stranger = await call('127.0.0.4', HALF.replace('99', '13'));
    stranger.send('"text":"hi"}');
    assert.match(await stranger.until('"hi"'), /^HTTP\/1.1 200 /);
  });

  it('have little time for a body, and those with credentials more', async (t) => {
    const { call } = await listening(t, { publicReceiveMs: 20 });
    const known = await call(
      '127.0.0.1',
      HALF.replace('open', 'closed').replace('Host', 'Authorization: Bearer alice\r\nHost'),
    );
    const stranger = await call('127.0.0.1', HALF);
    assert.match(await stranger.until('requestTooSlow'), /^HTTP\/1.1 408 /);
    await stranger.closed;
    assert.equal(known.received(), '');
    known.send(`"text":"${'x'.repeat(88)}"}`);
    assert.match(await known.until('xxx'), /^HTTP\/1.1 200 /);
  });

  it('send small bodies only', async (t) => {
    const { call } = await listening(t, { publicBodyBytes: 98 });
    assert.match(await (await call('127.0.0.1', HALF)).until('bodyTooLarge'), /^HTTP\/1.1 413 /);
    const chunked = HALF.replace('Content-Length: 99', 'Transfer-Encoding: chunked').slice(0, -1);
    const body = `80\r\n${'x'.repeat(128)}\r\n`;
    assert.match(await (await call('127.0.0.1', `${chunked}${body}`)).until('bodyTooLarge'), /^HTTP\/1.1 413 /);
  });

  it('have so many connections by address, and more once they are known', async (t) => {
    const { call } = await listening(t, { strangersConnections: { total: 4, each: 3 } });
    const known = await call('127.0.0.2', AS_ALICE);
    await known.until('"alice"');
    const silent = [];
    for (let nth = 0; nth < 4; nth += 1) silent.push(await call('127.0.0.2', ''));
    await silent[3]?.closed;
    for (const address of ['127.0.0.3', '127.0.0.4']) {
      const other = await call(address, AS_ALICE);
      await other.until('"alice"');
      other.send(AS_ALICE);
    }
    const strangers = [await call('127.0.0.3', ''), await call('127.0.0.4', '')];
    await silent[0]?.closed;
    known.send(AS_ALICE);
    await known.until('"alice"');
    assert.deepEqual(
      [...silent.slice(1, 3), ...strangers, known].map((caller) => caller.isClosed()),
      [false, false, false, false, false],
    );
  });
});

describe('answers over TLS', { timeout: PATIENCE_MS }, () => {
  it('tell browsers to keep to it, for a host with a name', async (t) => {
    const { port, tlsPort } = await listening(t, {});
    const hsts = async (host: string) => {
      const asked = tlsRequest({
        port: tlsPort,
        host: '127.0.0.1',
        headers: { host },
        rejectUnauthorized: false,
        agent: false,
      });
      asked.end();
      const [answer] = await once(asked, 'response');
      answer.resume();
      return answer.headers['strict-transport-security'];
    };
    assert.equal(await hsts('fleetshift.example.com'), 'max-age=31536000');
    for (const host of ['localhost:8701', '127.0.0.1:8701', '[::1]:8701'])
      assert.equal(await hsts(host), undefined, host);
    const plain = await fetch(`http://127.0.0.1:${port}/healthz`);
    assert.equal(plain.headers.get('strict-transport-security'), null);
  });
});

async function listening(t: TestContext, limits: Partial<HttpLimits>) {
  const textOf = ({ body }: { body: unknown }) => (body as { text: string }).text;
  const routes = [
    postRoute('/v1/open', textOf, 'public'),
    postRoute('/v1/closed', textOf),
    getRoute('/v1/closed', ({ principal }) => (principal as { id: string }).id),
  ];
  const { server } = await testServer(routes, { limits });
  t.after(() => server.close(100));
  const { port } = await server.listen({ host: '0.0.0.0', port: 0 });
  const tls = { cert: LOCALHOST_CERTIFICATE, key: LOCALHOST_KEY };
  const { port: tlsPort } = await server.listen({ host: '127.0.0.1', port: 0, tls });
  const call = async (localAddress: string, text: string) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', localAddress });
    t.after(() => socket.destroy());
    let received = '';
    socket
      .setEncoding('utf8')
      .on('error', () => {})
      .on('data', (data: string) => void (received += data));
    const closed = once(socket, 'close');
    await once(socket, 'connect');
    socket.write(text);
    return {
      closed,
      isClosed: () => socket.closed,
      received: () => received,
      send: (more: string): void => {
        received = '';
        socket.write(more);
      },
      until: async (part: string): Promise<string> => {
        while (!received.includes(part)) {
          assert.ok(!socket.closed, `closed after ${received}`);
          await pause(1);
        }
        return received;
      },
    };
  };
  return { port, tlsPort, call };
}
