import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HttpServer, Route } from '../index.ts';
import { RawConnection } from '../testing/raw-connection.ts';
import { getRoute } from '../testing/small-routes.ts';
import { AS_ALICE, testServer } from '../testing/test-server.ts';

const HEADERS = 'Host: x\r\nAuthorization: Bearer alice\r\n';

async function listening(routes: readonly Route[]): Promise<{ server: HttpServer; port: number }> {
  const { server } = await testServer(routes);
  return { server, port: (await server.listen({ host: '127.0.0.1', port: 0 })).port };
}

/** A route that waits for its gate, and optionally for its signal. */
function gated({ listens }: { listens: boolean }) {
  const began = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<string>();
  const route = getRoute('/v1/slow', ({ signal }) => {
    began.resolve();
    if (listens) signal.addEventListener('abort', () => gate.reject(signal.reason));
    return gate.promise;
  });
  return { route, began: began.promise, open: () => gate.resolve('done') };
}

describe('a server that closes', () => {
  it('finishes what is under way, and takes nothing new', async () => {
    const { route, began, open } = gated({ listens: false });
    const { server, port } = await listening([route]);
    const idle = await RawConnection.open(port);
    const slow = await RawConnection.open(port);
    slow.send(`GET /v1/slow HTTP/1.1\r\n${HEADERS}\r\n`);
    await began;
    const closed = server.close(60_000);
    await idle.untilClosed();
    await assert.rejects(RawConnection.open(port));
    open();
    const [answer, ...others] = await slow.untilClosed();
    assert.deepEqual([answer?.status, answer?.body, others.length], [200, '"done"', 0]);
    assert.equal(answer?.headers['connection'], 'close');
    await closed;
  });

  it('refuses the next request of a connection that is still open', async () => {
    const { route, began, open } = gated({ listens: false });
    const { server, port } = await listening([route, getRoute('/v1/x', () => 1)]);
    const connection = await RawConnection.open(port);
    connection.send(`GET /v1/slow HTTP/1.1\r\n${HEADERS}\r\n`);
    await began;
    const probe = await server.inject({ url: '/readyz' });
    assert.equal(probe.statusCode, 200);
    const closed = server.close(60_000);
    const refused = await server.inject({ url: '/v1/x', headers: AS_ALICE });
    assert.deepEqual([refused.statusCode, refused.json().code], [503, 'shuttingDown']);
    assert.equal(refused.headers['connection'], 'close');
    const unready = await server.inject({ url: '/readyz' });
    assert.equal(unready.statusCode, 503);
    assert.deepEqual(unready.json().probes[0].name, 'http');
    open();
    await connection.untilClosed();
    await closed;
  });

  it('tells handlers before the deadline, so that they can still answer', async () => {
    const { route, began } = gated({ listens: true });
    const { server, port } = await listening([route]);
    const connection = await RawConnection.open(port);
    connection.send(`GET /v1/slow HTTP/1.1\r\n${HEADERS}\r\n`);
    await began;
    await server.close(200);
    const [answer] = await connection.untilClosed();
    assert.equal(answer?.status, 503);
    assert.equal(JSON.parse(answer?.body ?? '').code, 'shuttingDown');
  });

  it('answers for handlers that do not listen', async () => {
    const { route, began } = gated({ listens: false });
    const { server, port } = await listening([route]);
    const connection = await RawConnection.open(port);
    connection.send(`GET /v1/slow HTTP/1.1\r\n${HEADERS}\r\n`);
    await began;
    await server.close(100);
    const [answer] = await connection.untilClosed();
    assert.equal(answer?.status, 503);
  });

  it('cuts off at the deadline who sends or reads for ever', async () => {
    const { server, port } = await listening([getRoute('/v1/big', () => 'x'.repeat(50_000_000))]);
    const sending = await RawConnection.open(port);
    sending.send(`GET /v1/big HTTP/1.1\r\nHost: x\r\n`);
    const reading = await RawConnection.open(port);
    reading.pause();
    reading.send(`GET /v1/big HTTP/1.1\r\n${HEADERS}\r\n`);
    const ready = await RawConnection.open(port);
    ready.send(`GET /healthz HTTP/1.1\r\n${HEADERS}\r\n`);
    await ready.until((text) => text.includes('alive'));
    // Neither request ends by itself, so only the deadline can let this return.
    await server.close(150);
    await sending.untilClosed();
    assert.equal(sending.received, '', 'a request that never came to its end has no answer');
    reading.resume();
    reading.destroy();
  });

  it('closes once, however often it is told', async () => {
    const { server } = await listening([]);
    await Promise.all([server.close(1000), server.close(0), server.close(1000)]);
    await server.close(1000);
    await assert.rejects(server.listen({ host: '127.0.0.1', port: 0 }), { code: 'SHUTTING_DOWN' });
  });
});
