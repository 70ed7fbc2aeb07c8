import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { describe, it } from 'node:test';
import type { HttpLimits, HttpServer, Route } from '../index.ts';
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from '../testing/localhost-certificate.ts';
import { RawConnection } from '../testing/raw-connection.ts';
import { getRoute, postRoute } from '../testing/small-routes.ts';
import { type MemoryLog, testServer } from '../testing/test-server.ts';

const HEADERS = 'Host: x\r\nAuthorization: Bearer alice\r\n';

interface Listening {
  readonly server: HttpServer;
  readonly port: number;
  readonly log: MemoryLog;
}

async function listening(
  {
    routes = [postRoute('/v1/x', () => 'done')],
    limits = {},
  }: { routes?: readonly Route[]; limits?: Partial<HttpLimits> },
  body: (listening: Listening) => Promise<void>,
) {
  const { server, log } = await testServer(routes, { limits });
  try {
    const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
    await body({ server, port, log });
  } finally {
    await server.close(100);
  }
}

/** Sends the text, and returns the last response before the server closed the connection. */
async function refusalOf(port: number, text: string) {
  const connection = await RawConnection.open(port);
  connection.send(text);
  const answer = (await connection.untilClosed()).at(-1);
  assert.ok(answer, 'no answer');
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  const problem = JSON.parse(answer.body) as { code: string; status: number };
  assert.equal(problem.status, answer.status);
  return problem;
}

describe('a connection', () => {
  for (const { why, text, code, status } of [
    { why: 'something else than HTTP', text: 'NONSENSE\r\n\r\n', code: 'malformedRequest', status: 400 },
    {
      why: 'a method that is none',
      text: `FOO /v1/x HTTP/1.1\r\n${HEADERS}\r\n`,
      code: 'malformedRequest',
      status: 400,
    },
    {
      why: 'a header that is none',
      text: `GET / HTTP/1.1\r\nbad header\r\n\r\n`,
      code: 'malformedRequest',
      status: 400,
    },
    {
      why: 'two lengths of one body',
      text: `POST /v1/x HTTP/1.1\r\n${HEADERS}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
      code: 'malformedRequest',
      status: 400,
    },
    {
      why: 'no host',
      text: 'GET /v1/x HTTP/1.1\r\nConnection: close\r\n\r\n',
      code: 'malformedRequest',
      status: 400,
    },
    {
      why: 'too many headers',
      text: `GET /v1/x HTTP/1.1\r\n${HEADERS}X-Long: ${'x'.repeat(5000)}\r\n\r\n`,
      code: 'headersTooLarge',
      status: 431,
    },
    {
      why: 'an expectation that nobody meets',
      text: `GET /v1/x HTTP/1.1\r\n${HEADERS}Expect: miracles\r\n\r\n`,
      code: 'expectationFailed',
      status: 417,
    },
    {
      why: 'a body beyond the limit, without a length',
      text: `POST /v1/x HTTP/1.1\r\n${HEADERS}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n${'x'.repeat(2000)}\r\n`,
      code: 'bodyTooLarge',
      status: 413,
    },
    {
      why: 'a body beyond the limit, by its length',
      text: `POST /v1/x HTTP/1.1\r\n${HEADERS}Content-Type: application/json\r\nContent-Length: 2000\r\n\r\n`,
      code: 'bodyTooLarge',
      status: 413,
    },
    {
      why: 'a good request and then nonsense',
      text: `GET /healthz HTTP/1.1\r\n${HEADERS}\r\nNONSENSE\r\n\r\n`,
      code: 'malformedRequest',
      status: 400,
    },
  ]) {
    it(`is told what is wrong with ${why}`, () =>
      listening({ limits: { headerBytes: 4000, bodyBytes: 1000 } }, async ({ port }) => {
        assert.deepEqual(await refusalOf(port, text).then(({ code, status }) => ({ code, status })), { code, status });
      }));
  }

  it('is closed when its headers come too slowly', () =>
    listening({ limits: { headersMs: 80, receiveMs: 80 } }, async ({ port }) => {
      assert.equal((await refusalOf(port, 'GET /v1/x HTTP/1.1\r\nHost: x\r\n')).code, 'requestTooSlow');
    }));

  it('is closed when its body comes too slowly', () =>
    listening({ limits: { headersMs: 80, receiveMs: 80 } }, async ({ port }) => {
      const head = `POST /v1/x HTTP/1.1\r\n${HEADERS}Content-Type: application/json\r\nContent-Length: 14\r\n\r\n`;
      assert.equal((await refusalOf(port, `${head}{"text"`)).code, 'requestTooSlow');
    }));

  it('is closed when it is not used', () =>
    listening({ limits: { keepAliveMs: 50 } }, async ({ port }) => {
      const connection = await RawConnection.open(port);
      connection.send(`GET /healthz HTTP/1.1\r\n${HEADERS}\r\n`);
      assert.deepEqual(
        (await connection.untilClosed()).map(({ status }) => status),
        [200],
      );
    }));

  it('whose client hangs up tells the handler', async () => {
    const began = Promise.withResolvers<AbortSignal>();
    const slow = getRoute('/v1/slow', ({ signal }) => {
      began.resolve(signal);
      return new Promise(() => {});
    });
    await listening({ routes: [slow] }, async ({ port, log }) => {
      const connection = await RawConnection.open(port);
      connection.send(`GET /v1/slow HTTP/1.1\r\n${HEADERS}\r\n`);
      const signal = await began.promise;
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
      connection.destroy();
      await aborted;
      assert.equal((signal.reason as { code: string }).code, 'CLIENT_GONE');
      assert.equal(log.lines.at(-1)?.fields.status, 499);
      assert.equal(log.at('error').length, 0);
    });
  });

  it('whose client does not take its answer in time is cut off', () =>
    listening(
      { routes: [getRoute('/v1/big', () => 'x'.repeat(50_000_000))], limits: { requestMs: 100 } },
      async ({ port, log }) => {
        const connection = await RawConnection.open(port);
        connection.pause();
        connection.send(`GET /v1/big HTTP/1.1\r\n${HEADERS}\r\n`);
        while (log.lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        assert.equal(log.lines[0]?.fields.status, 499);
        connection.destroy();
      },
    ));

  it('is not kept for the body of a request that was refused', () =>
    listening({}, async ({ port }) => {
      const head = 'POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n';
      assert.equal((await refusalOf(port, head)).code, 'unauthenticated');
    }));

  it('may be plain or TLS, on one server', async () => {
    const [key, cert] = [LOCALHOST_KEY, LOCALHOST_CERTIFICATE];
    await listening({ routes: [getRoute('/v1/x', () => 'done', 'public')] }, async ({ server, port }) => {
      const tls = await server.listen({ host: '127.0.0.1', port: 0, tls: { key, cert } });
      assert.notEqual(tls.port, port);
      const plain = await fetch(`http://127.0.0.1:${port}/v1/x`);
      assert.equal(await plain.json(), 'done');
      assert.deepEqual(await getOverTls(tls.port, cert), { status: 200, body: '"done"' });
      assert.equal((await refusalOf(port, 'NONSENSE\r\n\r\n')).code, 'malformedRequest');
      await server.close(1000);
      await assert.rejects(fetch(`http://127.0.0.1:${port}/v1/x`));
      await assert.rejects(getOverTls(tls.port, cert));
    });
  });

  it('cannot be made where somebody else listens', () =>
    listening({}, async ({ server, port }) => {
      await assert.rejects(server.listen({ host: '127.0.0.1', port }), { code: 'EADDRINUSE' });
      assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
    }));
});

function getOverTls(port: number, ca: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', servername: 'localhost', port, path: '/v1/x', ca, agent: false } as const;
    const request = tlsRequest(options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
    request.on('error', reject).end();
  });
}

describe('a connection that becomes something else', () => {
  const asks = (path: string) => `GET ${path} HTTP/1.1\r\n${HEADERS}Connection: Upgrade\r\nUpgrade: other\r\n\r\n`;
  const upgrade = {
    path: '/other',
    take: (_request: IncomingMessage, socket: Duplex) => void socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  };

  it('does so at its path, and ends with the server', async () => {
    const { server } = await testServer([getRoute('/v1/x', () => 'done')]);
    const { port } = await server.listen({ host: '127.0.0.1', port: 0, upgrade });
    const connection = await RawConnection.open(port);
    connection.send(asks('/other?a=b'));
    await connection.until((received) => received.startsWith('HTTP/1.1 101 '));
    await server.close(100);
    await connection.untilClosed();
  });

  for (const { why, path, offered } of [
    { why: 'at another path', path: '/v1/x', offered: upgrade },
    { why: 'where there is none', path: '/v1/x', offered: undefined },
  ]) {
    it(`is answered as any other ${why}`, async (t) => {
      const { server } = await testServer([getRoute('/v1/x', () => 'done')]);
      t.after(() => server.close(100));
      const { port } = await server.listen({ host: '127.0.0.1', port: 0, ...(offered && { upgrade: offered }) });
      const connection = await RawConnection.open(port);
      t.after(() => connection.destroy());
      connection.send(asks(path));
      assert.match(await connection.until((received) => received.includes('\r\n\r\n')), /^HTTP\/1.1 200 /);
    });
  }
});
