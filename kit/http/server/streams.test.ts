import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import {
  type Authenticator,
  defineEventStream,
  defineRoute,
  type EventSource,
  type HttpLimits,
  NoContent,
  noContent,
  OpenStreams,
} from '../index.ts';
import { MemoryEventSource, type TestEvent } from '../testing/memory-event-source.ts';
import { RawConnection } from '../testing/raw-connection.ts';
import { AS_ALICE, MemoryLog, testServer } from '../testing/test-server.ts';

const HEADERS = 'Host: x\r\nAuthorization: Bearer alice\r\n';

function eventsRoute(source: EventSource<TestEvent>) {
  return defineEventStream(
    {
      path: '/v1/events',
      operationId: 'streamEvents',
      summary: 'What happens',
      permission: 'events.read',
      source,
      view: ({ text }) => ({ text }),
      filter: { text: 'string' },
      types: ['plain', 'loud'],
      visible: () => true,
    },
    { log: new MemoryLog() },
  );
}

async function listening(limits: Partial<HttpLimits> = {}) {
  const source = new MemoryEventSource();
  const { server, log } = await testServer([eventsRoute(source)], { limits });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const follow = async (url = '/v1/events', headers = ''): Promise<RawConnection> => {
    const connection = await RawConnection.open(port);
    connection.send(`GET ${url} HTTP/1.1\r\n${HEADERS}${headers}\r\n`);
    return connection;
  };
  return { source, server, log, follow };
}

describe('a stream', () => {
  it('is closed, with the reason, before the change is answered that revoked it', async () => {
    const gate = Promise.withResolvers<void>();
    const revoked = new Set<string>();
    const authenticator: Authenticator = {
      authenticate: async ({ bearer = 'nobody' }) => {
        if (!revoked.has(bearer)) return { kind: 'user', id: bearer };
        await gate.promise;
        return undefined;
      },
    };
    const streams = new OpenStreams({ authenticator, log: new MemoryLog() });
    const revoke = defineRoute({
      method: 'POST',
      path: '/v1/revoke',
      operationId: 'revoke',
      summary: 'Revoke',
      permission: 'things.revoke',
      readOnly: true,
      schema: { responses: { 204: NoContent } },
      handler: async () => {
        revoked.add('alice');
        streams.changed();
        return noContent();
      },
    });
    const { server } = await testServer([eventsRoute(new MemoryEventSource()), revoke], { authenticator, streams });
    const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
    const connection = await RawConnection.open(port);
    connection.send(`GET /v1/events HTTP/1.1\r\n${HEADERS}\r\n`);
    await connection.until((text) => text.includes('retry:'));
    let isAnswered = false;
    const answer = server
      .inject({ method: 'POST', url: '/v1/revoke', headers: { authorization: 'Bearer bob' } })
      .finally(() => (isAnswered = true));
    while (revoked.size === 0) await turn();
    for (let turns = 0; turns < 20; turns += 1) await turn();
    assert.deepEqual([isAnswered, streams.size], [false, 1], 'nobody is told before it is known who lost something');
    gate.resolve();
    assert.equal((await answer).statusCode, 204);
    assert.equal(streams.size, 0);
    const text = await connection.until((received) => received.endsWith('0\r\n\r\n'));
    assert.match(text, /: The credentials that opened this stream have expired or were revoked/);
    connection.destroy();
    await server.close(1_000);
  });

  it('tells what happens over a socket, and ends in order when the server closes', async () => {
    const { source, server, follow } = await listening();
    source.append('before');
    const connection = await follow();
    await connection.until((text) => text.includes('retry:'));
    source.append('one');
    const text = await connection.until((received) => received.includes('"one"'));
    assert.match(text, /^HTTP\/1.1 200 OK\r\n/);
    assert.match(text, /content-type: text\/event-stream\r\n/i);
    assert.match(text, /cache-control: no-store\r\n/i);
    assert.match(text, /x-content-type-options: nosniff\r\n/i);
    assert.doesNotMatch(text, /before/);
    // Longer than any test may take: a close that left streams to their deadline would not return.
    await server.close(86_400_000);
    await connection.untilClosed();
    assert.ok(connection.received.endsWith('0\r\n\r\n'), 'the end of the chunks');
  });

  it('goes on where its client left off', async () => {
    const { source, server, follow } = await listening();
    source.append('one', 'two', 'three');
    const connection = await follow('/v1/events?types=plain&types=loud', 'Last-Event-ID: 2\r\n');
    const text = await connection.until((received) => received.includes('three'));
    assert.doesNotMatch(text, /"two"/);
    assert.match(text, /id: 3\nevent: plain\ndata: {"text":"three"}\n\n/);
    await server.close(1000);
  });

  it('that cannot begin is an ordinary refusal', async () => {
    const { source, server } = await listening();
    source.append('one', 'two', 'three');
    source.forgetUpTo(2);
    const ask = (url: string, headers = {}) => server.inject({ url, headers: { ...AS_ALICE, ...headers } });
    const gone = await ask('/v1/events?lastEventId=1');
    assert.deepEqual([gone.statusCode, gone.json().code], [410, 'eventsExpired']);
    for (const [url, headers] of [
      ['/v1/events?lastEventId=x', {}],
      ['/v1/events', { 'last-event-id': 'x' }],
      ['/v1/events?types=nope', {}],
      ['/v1/events?from=there', {}],
      ['/v1/events?filter=nope', {}],
    ] as const) {
      assert.equal((await ask(url, headers)).statusCode, 400, url);
    }
    assert.equal((await server.inject({ url: '/v1/events' })).statusCode, 401);
    const head = await server.inject({ method: 'HEAD', url: '/v1/events', headers: AS_ALICE });
    assert.equal(head.statusCode, 405);
    await server.close(1000);
  });

  it('is one of a limited number', async () => {
    const { server, follow } = await listening({ streams: 2, streamsPerPrincipal: 1 });
    const first = await follow();
    await first.until((text) => text.includes('retry:'));
    const second = await server.inject({ url: '/v1/events', headers: AS_ALICE });
    assert.deepEqual([second.statusCode, second.json().code], [429, 'rateLimited']);
    first.destroy();
    for (;;) {
      const again = await follow();
      await again.until((text) => text.includes('\r\n\r\n'));
      if (again.received.startsWith('HTTP/1.1 200')) break;
      await turn();
    }
    await server.close(1000);
  });

  it('refuses when there are too many altogether', async () => {
    const { server, follow } = await listening({ streams: 1 });
    const first = await follow();
    await first.until((text) => text.includes('retry:'));
    const second = await server.inject({ url: '/v1/events', headers: { authorization: 'Bearer bob' } });
    assert.deepEqual([second.statusCode, second.json().code], [503, 'overloaded']);
    await server.close(1000);
  });

  it('gives each event once to a client that reads in fits and starts', async () => {
    const { source, server, follow } = await listening();
    const connection = await follow('/v1/events?from=beginning');
    await connection.until((text) => text.includes('retry:'));
    connection.pause();
    for (let batch = 0; batch < 20; batch += 1) {
      source.append(...Array.from({ length: 100 }, () => 'x'.repeat(4000)));
      await turn();
    }
    source.append('the end');
    connection.resume();
    await connection.until((text) => text.endsWith('the end"}\n\n\r\n'));
    assert.equal(connection.received.match(/^data: /gm)?.length, 2001);
    await server.close(1000);
  });

  it('of a client that reads nothing for too long is cut off', async () => {
    const { source, server, log, follow } = await listening({ streamStallMs: 50 });
    const connection = await follow();
    await connection.until((text) => text.includes('retry:'));
    connection.pause();
    for (let batch = 0; batch < 200 && !log.lines.some(({ fields }) => fields.status === 499); batch += 1) {
      source.append(...Array<string>(20).fill('x'.repeat(50_000)));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.ok(log.lines.some(({ fields }) => fields.operation === 'streamEvents' && fields.status === 499));
    await server.close(1000);
  });
});
