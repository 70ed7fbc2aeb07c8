import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { FILE_MS } from '#testing/patience';
import { waitFor } from '../testing/wait-for.ts';
import { Http2Link } from './http2-link.ts';

const signal = AbortSignal.timeout(FILE_MS);
const GARBAGE = Buffer.alloc(64, 0xff);

describe('an HTTP/2 connection', () => {
  it('that broke, and whose socket takes its time to close, is neither asked whether it lives nor used', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const { link, far, close, hasEnded } = await openLink(t);
    assert.ok(link.hasRoom);
    far.write(GARBAGE);
    await waitFor(() => assert.ok(!link.hasRoom), signal);
    assert.ok(!hasEnded(), 'the socket is not closed yet');
    t.mock.timers.tick(1_000);
    close();
    await waitFor(() => assert.ok(hasEnded()), signal);
  });
});

/** A link on a socket that closes when it is told to, and the other end of it. */
async function openLink(t: TestContext) {
  const server = createServer().listen(0, '127.0.0.1');
  const connected = once(server, 'connection');
  await once(server, 'listening');
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(near, 'connect');
  const [far] = (await connected) as [Socket];
  t.after(() => {
    far.destroy();
    server.close();
  });
  let close = (): void => {};
  const destroy = near._destroy.bind(near);
  near._destroy = (error, done) => {
    close = () => destroy(error, done);
  };
  let ended = false;
  const onEnd = (): void => {
    ended = true;
  };
  const pings = { pingIntervalMs: 1_000, pingTimeoutMs: 1_000 };
  const link = new Http2Link({ server: new URL('http://localhost'), socket: near, ...pings, onEnd });
  await link.ready();
  return { link, far, close: () => close(), hasEnded: () => ended };
}
