import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { suite, type TestContext, test } from 'node:test';
import { eventually } from '../../../kit/durable/testing/eventually.ts';
import { AGENT_TOKEN, DoorWorld, type DoorWorldOptions, textOf } from './testing/door-world.ts';

async function stage(t: TestContext, options?: DoorWorldOptions): Promise<DoorWorld> {
  const world = await DoorWorld.open(options);
  t.after(() => world.close());
  return world;
}

/** The next request that the API server gets; it is answered with nothing. */
function nextAsked(world: DoorWorld): Promise<IncomingMessage> {
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  world.api.answer = (asked, response) => {
    resolve(asked);
    response.end('{}');
  };
  return promise;
}

async function statusIn(response: IncomingMessage) {
  const { kind, reason, message, code } = JSON.parse(await textOf(response)) as Record<string, unknown>;
  assert.deepEqual([kind, code], ['Status', response.statusCode]);
  return { code, reason, message: String(message) };
}

suite('what is asked', () => {
  test('arrives byte for byte, as the agent, for the caller under the prefix of the platform', async (t) => {
    const world = await stage(t);
    const asked = nextAsked(world);
    const path = '/api/v1/namespaces/a%20b/pods?labelSelector=a%3Db&watch=0';
    const headers = { cookie: 'session=s', 'x-remote-user': 'root', 'x-custom': 'kept', accept: 'application/json' };
    assert.equal((await world.ask(path, { as: 'dora', headers })).statusCode, 200);
    const { url, method, headers: seen } = await asked;
    assert.deepEqual([method, url], ['GET', path]);
    assert.equal(seen.authorization, `Bearer ${AGENT_TOKEN}`);
    assert.equal(seen['impersonate-user'], 'fleetshift:user:dora');
    assert.equal(
      seen['impersonate-group'],
      'fleetshift:role:deployer, fleetshift:group:staff, fleetshift:group:system:masters',
    );
    assert.deepEqual([seen['x-custom'], seen.accept], ['kept', 'application/json']);
    for (const gone of ['cookie', 'x-remote-user', 'fleetshift-identity']) assert.equal(seen[gone], undefined, gone);
    assert.match(String(seen['audit-id']), /^[0-9a-f-]{36}$/);
  });

  test('goes at the root for a door without more', async (t) => {
    const world = await stage(t);
    const asked = nextAsked(world);
    await world.ask('?x=1');
    assert.equal((await asked).url, '/?x=1');
  });

  test('is streamed, however large, both ways', async (t) => {
    const world = await stage(t);
    world.api.answer = (asked, response) => void asked.pipe(response);
    const body = randomBytes(8 * 1024 * 1024);
    const answer = await world.ask('/api/v1/namespaces', { method: 'POST', body });
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part as Buffer);
    assert.equal(Buffer.compare(Buffer.concat(parts), body), 0);
    assert.ok((world.metered.get('shop') ?? 0) > 2 * body.length);
  });

  test('goes through tunnels that are used again', async (t) => {
    const world = await stage(t);
    for (let count = 0; count < 20; count += 1) await textOf(await world.ask('/version'));
    assert.equal(world.tunnels(), 1);
  });

  test('comes back as it is, without what a browser would act on', async (t) => {
    const world = await stage(t);
    world.api.answer = (_asked, response) => {
      response.writeHead(418, 'Short', {
        'set-cookie': 'a=b',
        'access-control-allow-origin': '*',
        warning: 'w',
        etag: 'e',
      });
      response.end('<script>');
    };
    const { statusCode, statusMessage, headers } = await world.ask('/api/v1/namespaces/x/services/y/proxy/');
    assert.deepEqual([statusCode, statusMessage, headers.warning, headers.etag], [418, 'Short', 'w', 'e']);
    assert.deepEqual([headers['set-cookie'], headers['access-control-allow-origin']], [undefined, undefined]);
    assert.match(String(headers['content-security-policy']), /sandbox/);
  });
});

suite('who asks', () => {
  const rows = [
    { why: 'a viewer looks', as: 'vera', method: 'GET', path: '/api/v1/pods', code: 200 },
    { why: 'a viewer does not change', as: 'vera', method: 'DELETE', path: '/api/v1/pods', code: 403 },
    {
      why: 'nor reach into a workload',
      as: 'vera',
      method: 'GET',
      path: '/api/v1/namespaces/a/pods/b/exec',
      code: 403,
    },
    {
      why: 'nor by another spelling',
      as: 'vera',
      method: 'GET',
      path: '/api/v1/namespaces/a/pods/b/ex%65c',
      code: 403,
    },
    { why: 'a deployer does', as: 'dora', method: 'GET', path: '/api/v1/namespaces/a/pods/b/exec', code: 200 },
    { why: 'to others the target does not exist', as: 'oscar', method: 'GET', path: '/version', code: 404 },
    { why: 'nobody is nobody', as: 'nobody', method: 'GET', path: '/version', code: 401 },
    { why: 'nor is whoever is not known', as: 'mallory', method: 'GET', path: '/version', code: 401 },
  ];
  for (const { why, code, path, ...asked } of rows) {
    test(`${why}: ${code}`, async (t) => {
      const world = await stage(t);
      const answer = await world.ask(path, asked);
      assert.equal(answer.statusCode, code);
      if (code >= 400) assert.match((await statusIn(answer)).message, /\.$/);
      assert.equal(world.noted.length, code === 200 && asked.as === 'dora' ? 1 : 0);
      assert.equal(world.refused.length, code === 403 || code === 404 || asked.as === 'mallory' ? 1 : 0);
    });
  }

  test('is on record before it is done, with what it is about', async (t) => {
    const world = await stage(t);
    let notedBefore = 0;
    world.api.answer = (_asked, response) => {
      notedBefore = world.noted.length;
      response.end('{}');
    };
    await world.ask('/api/v1/namespaces/a/configmaps/b?dryRun=All', { as: 'dora', method: 'PATCH' });
    assert.equal(notedBefore, 1);
    const [entry] = world.noted;
    assert.deepEqual(
      [entry?.operationId, entry?.method, entry?.resource, entry?.principal?.id],
      ['proxyTarget', 'PATCH', '/v1/targets/web/api/api/v1/namespaces/a/configmaps/b', 'dora'],
    );
  });

  test('may not ask to be somebody else', async (t) => {
    const world = await stage(t);
    const answer = await world.ask('/version', { headers: { 'Impersonate-User': 'system:admin' } });
    assert.equal((await statusIn(answer)).reason, 'Forbidden');
  });

  test('is his own token, where the target takes it and it is of an issuer', async (t) => {
    const world = await stage(t, { apiAuthentication: 'passthrough' });
    const asked = nextAsked(world);
    await world.ask('/version', { as: 'vera.is.known' });
    const { headers } = await asked;
    assert.deepEqual([headers.authorization, headers['impersonate-user']], ['Bearer vera.is.known', undefined]);
    const next = nextAsked(world);
    await world.ask('/version', { as: 'vera' });
    const { headers: own } = await next;
    assert.deepEqual([own.authorization, own['impersonate-user']], [`Bearer ${AGENT_TOKEN}`, 'fleetshift:user:vera']);
  });

  test('is counted', async (t) => {
    const world = await stage(t, { requestsPerMinute: 2 });
    const codes: (number | undefined)[] = [];
    for (let count = 0; count < 3; count += 1) codes.push((await world.ask('/version')).statusCode);
    assert.deepEqual(codes, [200, 200, 429]);
  });
});

suite('a watch', () => {
  test('is heard of at once, and gone when its client is', async (t) => {
    const world = await stage(t);
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

  test('ends when the server ends it', async (t) => {
    const world = await stage(t);
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
      const world = await stage(t);
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

  test('is one of 200, and none is in the way of a request', async (t) => {
    const world = await stage(t);
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
    const world = await stage(t, { limits: { perCaller: 2, perTarget: 3 } });
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
    const world = await stage(t);
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
    const world = await stage(t);
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
    assert.equal(world.noted.length, 1);
    socket.end();
    await once(socket, 'close');
  });

  test('is read to its end by whoever reads slowly, though the server is long gone', async (t) => {
    const world = await stage(t);
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
    const world = await stage(t);
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
    const world = await stage(t);
    world.api.server.on('upgrade', (_asked, socket) => {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno');
    });
    const [answer] = (await once(upgrade(world), 'response')) as [IncomingMessage];
    assert.deepEqual([answer.statusCode, await textOf(answer)], [403, 'no']);
  });

  test('takes the right to write, by whatever method', async (t) => {
    const world = await stage(t);
    const [answer] = (await once(upgrade(world, { as: 'vera', method: 'GET' }), 'response')) as [IncomingMessage];
    assert.equal((await statusIn(answer)).reason, 'Forbidden');
  });

  test('is cut with the fleetlet', async (t) => {
    const world = await stage(t);
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

suite('a target that cannot be reached', () => {
  test('is told as Kubernetes tells it, whoever is missing', async (t) => {
    const world = await stage(t);
    world.agent.isServing = false;
    const gone = await statusIn(await world.ask('/version'));
    assert.deepEqual([gone.code, gone.reason], [503, 'ServiceUnavailable']);
    world.agent.isServing = true;
    world.api.server.closeAllConnections();
    await new Promise((resolve) => world.api.server.close(resolve));
    const down = await statusIn(await world.ask('/version'));
    assert.match(down.message, /does not reach the API server: .*ECONNREFUSED/);
    world.api.server.listen(0);
  });

  test('that nobody speaks for', async (t) => {
    const world = await stage(t);
    world.fleet.hub.closeFleetlet('edge', 'draining', 'for a while');
    const { code, message } = await statusIn(await world.ask('/version'));
    assert.equal(code, 503);
    assert.match(message, /^The target web cannot be reached right now: /);
  });

  test('whose agent is not known to its cluster: that is not the caller’s fault', async (t) => {
    const world = await stage(t);
    world.api.answer = (_asked, response) => void response.writeHead(401).end();
    assert.equal((await statusIn(await world.ask('/version'))).code, 503);
  });
});

test('where there is no door there is nothing', async (t) => {
  const world = await stage(t);
  const outgoing = httpRequest(`${world.url.replace(/api$/, 'other')}`, { agent: false }).end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  assert.equal((await statusIn(answer)).code, 404);
});
