import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { type DoorWorld, doorStage, textOf } from './testing/door-world.ts';

/** The requests that the API server has received: method, path and body, and the caller. */
function recorded(world: DoorWorld): string[] {
  const seen: string[] = [];
  world.api.answer = (asked, response) => {
    let body = '';
    asked.on('data', (chunk) => (body += String(chunk)));
    asked.on('end', () => {
      const { method, url, headers } = asked;
      seen.push(`${method} ${url} ${body} as ${String(headers['impersonate-user'])}`);
      response.end(`answer to ${url}`);
    });
  };
  return seen;
}

/** Sends bytes to the front door, until it closes the connection. */
async function say(world: DoorWorld, text: string): Promise<string> {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname);
  socket.write(text);
  let heard = '';
  socket.on('data', (data) => (heard += String(data)));
  socket.on('error', () => {});
  await once(socket, 'close');
  return heard;
}

const AS_VERA = 'Host: x\r\nAuthorization: Bearer vera\r\nConnection: close\r\n';
const SMUGGLED = 'POST /smuggled HTTP/1.1\r\nHost: x\r\nfleetshift-identity: x\r\nContent-Length: 0\r\n\r\n';
const CHUNKED = `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`;

suite('a body', () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS']) {
    test(`of ${method} in chunks stays a body, whatever is in it`, async (t) => {
      const world = await doorStage(t);
      const seen = recorded(world);
      const head = `${method} /targets/web/api/version HTTP/1.1\r\n${AS_VERA}Transfer-Encoding: chunked\r\n\r\n`;
      assert.match(await say(world, `${head}${CHUNKED}`), /^HTTP\/1\.1 200 /);
      assert.equal(await textOf(await world.ask('/next')), 'answer to /next', 'and the next one gets its own answer');
      assert.deepEqual(seen, [
        `${method} /version ${SMUGGLED} as fleetshift:user:vera`,
        'GET /next  as fleetshift:user:ada',
      ]);
    });
  }

  test('keeps the length that its caller gave it', async (t) => {
    const world = await doorStage(t);
    const lengths: (string | undefined)[] = [];
    world.api.answer = (asked, response) => {
      lengths.push(asked.headers['content-length'], asked.headers['transfer-encoding']);
      asked.resume().on('end', () => response.end());
    };
    const headers = { 'content-length': '3' };
    for (const method of ['GET', 'DELETE', 'PUT'])
      await textOf(await world.ask('/x', { method, body: 'abc', headers }));
    await textOf(await world.ask('/x', { method: 'DELETE' }));
    assert.deepEqual(lengths, ['3', undefined, '3', undefined, '3', undefined, '0', undefined]);
  });

  test('that does not come to its end takes the tunnel along', async (t) => {
    const world = await doorStage(t);
    const begun = Promise.withResolvers<void>();
    const cut = Promise.withResolvers<void>();
    world.api.answer = (asked) => {
      asked.resume().on('error', () => cut.resolve());
      begun.resolve();
    };
    const { hostname, port } = new URL(world.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `PUT /targets/web/api/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\nContent-Length: 9\r\n\r\nabc`,
    );
    await begun.promise;
    socket.destroy();
    await cut.promise;
    recorded(world);
    await textOf(await world.ask('/next'));
    assert.equal(world.records.tunnels, 2);
  });

  test('that is still coming when the answer has ended takes the tunnel along', async (t) => {
    const world = await doorStage(t);
    world.api.answer = (_asked, response) => void response.end('enough');
    const { hostname, port } = new URL(world.url);
    const socket = connect(Number(port), hostname);
    t.after(async () => void socket.destroy());
    socket.write(
      `PUT /targets/web/api/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\nContent-Length: 9\r\n\r\nabc`,
    );
    let heard = '';
    while (!heard.includes('enough')) heard += String(((await once(socket, 'data')) as [Buffer])[0]);
    recorded(world);
    assert.equal(await textOf(await world.ask('/next')), 'answer to /next');
    assert.equal(world.records.tunnels, 2);
    // Bytes after the body belong to its own connection; they must not become a request.
    socket.write(`defghiGET /targets/web/api/again HTTP/1.1\r\n${AS_VERA}\r\n`);
    heard = '';
    socket.on('data', (data) => (heard += String(data)));
    await once(socket, 'close');
    assert.match(heard, /answer to \/again/);
  });

  const REFUSED = [
    { why: 'in a coding of its own', head: 'POST / HTTP/1.1', lines: 'Transfer-Encoding: gzip, chunked\r\n' },
    { why: 'behind an upgrade', head: 'GET / HTTP/1.1', lines: 'Upgrade: x\r\nTransfer-Encoding: chunked\r\n' },
    { why: 'in chunks before there were any', head: 'POST / HTTP/1.0', lines: 'Transfer-Encoding: chunked\r\n' },
  ];
  for (const { why, head, lines } of REFUSED) {
    test(`${why} is refused`, async (t) => {
      const world = await doorStage(t);
      const seen = recorded(world);
      const connection = lines.includes('Upgrade') ? 'Connection: Upgrade\r\n' : 'Connection: close\r\n';
      const common = `Host: x\r\nAuthorization: Bearer ada\r\n${connection}`;
      const asked = `${head.replace('/', '/targets/web/api/')}\r\n${common}${lines}\r\n${CHUNKED}`;
      assert.match(await say(world, asked), /^HTTP\/1\.1 400 /);
      assert.deepEqual(seen, []);
    });
  }
});

for (const path of ['/a/../b', '/%2e%2e/b', '/%252e%252e/b', '/x%2f..%2fb', '/..;/b']) {
  test(`a path that leads up, ${path}, is refused for everybody`, async (t) => {
    const world = await doorStage(t);
    const seen = recorded(world);
    const head = `GET /targets/web/api${path} HTTP/1.1\r\n${AS_VERA.replace('vera', 'ada')}\r\n`;
    assert.match(await say(world, head), /^HTTP\/1\.1 400 /);
    assert.deepEqual(seen, []);
  });
}

/** In place of the API server: answers the requests of each connection with these bytes, one after the other. */
async function hostileApi(t: TestContext, answers: readonly string[]): Promise<DoorWorld> {
  let given = 0;
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      if (String(data).includes('selfsubjectaccessreviews')) {
        const body = '{"status":{"allowed":true}}';
        socket.write(
          `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
        return;
      }
      socket.write(answers[given++] ?? 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nproper', 'latin1');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return await doorStage(t, { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

suite('an answer of a hostile server', () => {
  const PLANTED = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nplanted';
  const rows = [
    {
      why: 'with a second one behind it',
      answer: `HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst${PLANTED}`,
      want: 200,
    },
    {
      why: 'with a body where there is none',
      answer: `HTTP/1.1 204 None\r\nContent-Length: 50\r\n\r\n${PLANTED}`,
      want: 204,
    },
    { why: 'with a status that is none', answer: 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n', want: 503 },
    { why: 'with a status beyond all', answer: 'HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n', want: 503 },
    { why: 'with controls in its phrase', answer: 'HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n', want: 200 },
    {
      why: 'in a coding of its own',
      answer: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      want: 503,
    },
    {
      why: 'that says how it goes on twice',
      answer: `HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${PLANTED}`,
      want: 503,
    },
    {
      why: 'that upgrades without being asked',
      answer: `HTTP/1.1 101 Odd\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n${PLANTED}`,
      want: 503,
    },
    {
      why: 'that proves itself',
      answer: 'HTTP/1.1 200 OK\r\nfleetshift-proof: x\r\nContent-Length: 0\r\n\r\n',
      want: 200,
    },
  ];
  for (const { why, answer, want } of rows) {
    test(`${why} harms nobody else`, async (t) => {
      const world = await hostileApi(t, [answer]);
      const first = await world.ask('/first');
      assert.equal(first.statusCode, want);
      assert.doesNotMatch(await textOf(first), /planted/);
      for (let count = 0; count < 3; count += 1) assert.equal(await textOf(await world.ask('/next')), 'proper');
    });
  }
});

suite('an upgrade', () => {
  const UPGRADE = `GET /targets/web/api/up HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n`;
  const rows = [
    {
      why: 'behind a request that is not answered yet',
      bytes: `GET /targets/web/api/a HTTP/1.1\r\nHost: x\r\n\r\n${UPGRADE}\r\n`,
    },
    { why: 'whose body is still to come', bytes: `${UPGRADE}Content-Length: 9\r\n\r\nabc` },
  ];
  for (const { why, bytes } of rows) {
    test(`${why} ends its connection, and nothing else`, async (t) => {
      const world = await doorStage(t);
      const seen = recorded(world);
      assert.equal(await say(world, bytes), '');
      assert.equal(await textOf(await world.ask('/next')), 'answer to /next');
      assert.equal(seen.length, 1);
    });
  }
});
