import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { suite, test } from 'node:test';
import { eventually } from '../../../kit/durable/testing/eventually.ts';
import { type DoorWorld, doorStage, statusIn, textOf } from './testing/door-world.ts';

suite('a watch', () => {
  test('is heard of at once, and gone when its client is', async (t) => {
    const world = await doorStage(t);
    const gone = Promise.withResolvers<void>();
    world.api.answer = (_asked, response) => {
      response.writeHead(200);
      response.flushHeaders();
      response.once('close', gone.resolve);
      response.write('{"type":"ADDED"}\n');
    };
    const over = new AbortController();
    const answer = await world.ask('/api/v1/pods?watch=true', { signal: over.signal });
    answer.on('error', () => {});
    const [event] = (await once(answer, 'data')) as [Buffer];
    assert.equal(String(event), '{"type":"ADDED"}\n');
    over.abort();
    await gone.promise;
  });

  test('has its headers before its first event', async (t) => {
    const world = await doorStage(t);
    const answered = Promise.withResolvers<ServerResponse>();
    world.api.answer = (_asked, response) => {
      response.writeHead(200, { 'x-early': 'yes' });
      response.flushHeaders();
      answered.resolve(response);
    };
    const answer = await world.ask('/api/v1/pods?watch=true');
    assert.equal(answer.headers['x-early'], 'yes');
    (await answered.promise).end('{"type":"ADDED"}\n');
    assert.equal(await textOf(answer), '{"type":"ADDED"}\n');
  });

  test('ends when the server ends it', async (t) => {
    const world = await doorStage(t);
    world.api.answer = (_asked, response) => {
      response.write('one\n');
      setImmediate(() => response.end('two\n'));
    };
    assert.equal(await textOf(await world.ask('/api/v1/pods?watch=true')), 'one\ntwo\n');
  });

  for (const [what, cut] of [
    ['the API server is', (world: DoorWorld) => world.api.server.closeAllConnections()],
    ['the fleetlet is', (world: DoorWorld) => world.fleetlet.cut()],
  ] as const) {
    test(`is cut when ${what} cut off, and the next one works`, async (t) => {
      const world = await doorStage(t);
      world.api.answer = (_asked, response) => void response.write('one\n');
      const answer = await world.ask('/api/v1/pods?watch=true');
      await once(answer, 'data');
      const ended = once(answer, 'error');
      cut(world);
      await ended;
      assert.equal(answer.complete, false);
      world.api.answer = (_asked, response) => response.end('again');
      await eventually('it works', async () => (await world.ask('/version')).statusCode === 200);
    });
  }

  test('ends when the platform stops, which takes nothing new', async (t) => {
    const world = await doorStage(t);
    world.api.answer = (_asked, response) => void response.write('one\n');
    const answer = await world.ask('/api/v1/pods?watch=true');
    await once(answer, 'data');
    const ended = once(answer, 'error');
    await world.stop();
    await ended;
    assert.equal((await statusIn(await world.ask('/version'))).reason, 'ServiceUnavailable');
  });

  test('is one of 200, and none is in the way of a request', async (t) => {
    const world = await doorStage(t);
    let asked = 0;
    world.api.answer = (about, response) => {
      if (about.url === '/version') return void response.end('{}');
      asked += 1;
      response.write(`${about.url}\n`);
    };
    const paths = Array.from({ length: 200 }, (_, number) => `/api/v1/pods?watch=true&n=${number}`);
    const over = new AbortController();
    const answers = await Promise.all(paths.map((path) => world.ask(path, { signal: over.signal })));
    for (const [number, answer] of answers.entries()) {
      answer.on('error', () => {});
      const [line] = (await once(answer, 'data')) as [Buffer];
      assert.equal(String(line), `${paths[number]}\n`);
    }
    assert.equal(asked, 200);
    assert.equal((await world.ask('/version')).statusCode, 200);
    over.abort();
  });

  test('that is one too many is refused, of a caller and of a target, and room comes back', async (t) => {
    const world = await doorStage(t, { limits: { perCaller: 2, perTarget: 3 } });
    world.api.answer = (_asked, response) => void response.write('x');
    const over = new AbortController();
    const open = async (as: string) => {
      const answer = await world.ask('/api/v1/pods?watch=true', { as, signal: over.signal });
      answer.on('error', () => {});
      return answer;
    };
    for (const as of ['vera', 'vera', 'dora']) assert.equal((await open(as)).statusCode, 200);
    const third = await open('vera');
    assert.equal(third.headers['retry-after'], '1');
    assert.match((await statusIn(third)).message, /You have 2/);
    assert.match((await statusIn(await open('ada'))).message, /The target has 3/);
    over.abort();
    world.api.answer = (_asked, response) => response.end('{}');
    await eventually('there is room', async () => (await world.ask('/version', { as: 'vera' })).statusCode === 200);
  });

  test('whose client does not read is not read for him, and holds up nobody', async (t) => {
    const world = await doorStage(t);
    let produced = 0;
    const part = Buffer.alloc(64 * 1024);
    world.api.answer = (asked, response) => {
      if (asked.url === '/version') return void response.end('{}');
      const more = (): void => {
        while (!response.destroyed && response.write(part)) produced += part.length;
        produced += part.length;
        response.once('drain', more);
      };
      more();
    };
    const over = new AbortController();
    const answer = await world.ask('/api/v1/pods', { signal: over.signal });
    answer.on('error', () => {});
    let before = -1;
    await eventually('it stands still', async () => {
      const isStill = before === produced;
      before = produced;
      assert.equal((await world.ask('/version')).statusCode, 200);
      return isStill;
    });
    assert.ok(produced < 64 * 1024 * 1024, `${produced}`);
    over.abort();
  });
});

suite('a connection that becomes something else', () => {
  function upgrade(world: DoorWorld, { as = 'dora', method = 'POST' } = {}) {
    const headers = {
      authorization: `Bearer ${as}`,
      connection: 'Upgrade',
      upgrade: 'SPDY/3.1',
      'x-stream-protocol-version': 'v4',
    };
    const url = `${world.url}/api/v1/namespaces/a/pods/b/exec?command=sh`;
    return httpRequest(url, { method, agent: false, headers }).end();
  }

  test('is handed through with its first bytes, and ends with either end', async (t) => {
    const world = await doorStage(t);
    const seen = Promise.withResolvers<IncomingMessage>();
    world.api.server.on('upgrade', (asked, socket) => {
      seen.resolve(asked);
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Chosen: v4\r\n\r\nhello',
      );
      socket.on('error', () => {});
      socket.on('data', (data: Buffer) => void socket.write(data.toString().toUpperCase()));
      socket.on('end', () => socket.end());
    });
    const [answer, socket, head] = await once(upgrade(world), 'upgrade');
    assert.deepEqual([answer.statusCode, answer.headers['x-chosen'], answer.headers.upgrade], [101, 'v4', 'SPDY/3.1']);
    const asked = await seen.promise;
    assert.equal(asked.headers['x-stream-protocol-version'], 'v4');
    assert.equal(asked.headers['impersonate-user'], 'fleetshift:user:dora');
    let heard = String(head);
    socket.on('data', (data: Buffer) => void (heard += String(data)));
    socket.write('abc');
    await eventually('it is heard', async () => heard === 'helloABC');
    assert.equal(world.records.noted.length, 1);
    socket.end();
    await once(socket, 'close');
  });

  test('is read to its end by whoever reads slowly, though the server is long gone', async (t) => {
    const world = await doorStage(t);
    const tail = randomBytes(8 * 1024 * 1024);
    world.api.server.on('upgrade', (_asked, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
      socket.on('error', () => {});
      socket.resume().end(tail);
    });
    const [, socket, head] = await once(upgrade(world), 'upgrade');
    const parts: Buffer[] = [head];
    for await (const part of socket) {
      parts.push(part as Buffer);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(Buffer.concat(parts).equals(tail));
  });

  test('hears all of what its client said before it went', async (t) => {
    const world = await doorStage(t);
    const said = randomBytes(8 * 1024 * 1024);
    const heard = Promise.withResolvers<Buffer>();
    world.api.server.on('upgrade', (_asked, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
      const parts: Buffer[] = [];
      socket.on('error', heard.reject);
      socket.on('data', (part: Buffer) => void parts.push(part));
      socket.on('end', () => {
        heard.resolve(Buffer.concat(parts));
        socket.end();
      });
    });
    const [, socket] = await once(upgrade(world), 'upgrade');
    socket.resume().end(said);
    assert.ok((await heard.promise).equals(said));
  });

  test('that the server does not want is answered as it answers', async (t) => {
    const world = await doorStage(t);
    world.api.server.on('upgrade', (_asked, socket) => {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno');
    });
    const [answer] = (await once(upgrade(world), 'response')) as [IncomingMessage];
    assert.deepEqual([answer.statusCode, await textOf(answer)], [403, 'no']);
  });

  test('takes the right to write, by whatever method', async (t) => {
    const world = await doorStage(t);
    const [answer] = (await once(upgrade(world, { as: 'vera', method: 'GET' }), 'response')) as [IncomingMessage];
    assert.equal((await statusIn(answer)).reason, 'Forbidden');
  });

  test('is cut with the fleetlet', async (t) => {
    const world = await doorStage(t);
    world.api.server.on('upgrade', (_asked, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
      socket.on('error', () => {});
      socket.resume().on('end', () => socket.end());
    });
    const [, socket] = await once(upgrade(world), 'upgrade');
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    world.fleetlet.cut();
    await closed;
  });
});
