import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { getRoute } from '../testing/small-routes.ts';
import { testServer } from '../testing/test-server.ts';

/** Below `/raw/` everything is echoed, for requests and upgrades. */
async function listening(t: TestContext): Promise<string> {
  const { server } = await testServer([getRoute('/v1/x', () => 'done')], {
    limits: { bodyBytes: 10 },
    raw: {
      prefix: '/raw/',
      request: (asked, response) => void asked.pipe(response),
      upgrade: (_asked, socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
        socket.pipe(socket);
      },
    },
  });
  t.after(() => server.close(100));
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${port}`;
}

describe('what is below a prefix of its own', () => {
  it('is handed over as it comes, whoever asks and however large it is', async (t) => {
    const url = await listening(t);
    const body = 'x'.repeat(1024 * 1024);
    const outgoing = request(`${url}/raw/a%2Fb?c`, { method: 'POST', agent: false }).end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    let text = '';
    for await (const part of answer) text += String(part);
    assert.ok(text === body);
  });

  it('may become something else', async (t) => {
    const url = await listening(t);
    const headers = { connection: 'Upgrade', upgrade: 'echo' };
    const [answer, socket] = await once(request(`${url}/raw/x`, { agent: false, headers }).end(), 'upgrade');
    assert.equal(answer.statusCode, 101);
    socket.write('hello');
    const [said] = await once(socket, 'data');
    assert.equal(String(said), 'hello');
    socket.destroy();
  });

  it('is nothing else: beside it all is as ever', async (t) => {
    const url = await listening(t);
    const headers = { connection: 'Upgrade', upgrade: 'echo', authorization: 'Bearer alice' };
    for (const [path, status] of [
      ['/v1/x', 200],
      ['/raw', 404],
      ['/%72aw/x', 404],
    ] as const) {
      const [answer] = (await once(request(`${url}${path}`, { agent: false, headers }).end(), 'response')) as [
        IncomingMessage,
      ];
      answer.resume();
      assert.equal(answer.statusCode, status, path);
    }
  });
});
