import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import { makeTestTls } from '../testing/transport-stages.ts';
import { listen } from './listen.ts';

describe('a Unix socket', { timeout: PATIENCE_MS }, () => {
  it('is for its user alone, and is gone when nobody listens any more', async (t) => {
    const path = await socketPath(t);
    const before = process.umask(0o022);
    const listener = await listen({ at: { path } }, 'h2', () => {});
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal(process.umask(before), 0o022);
    await listener.close();
    assert.equal(existsSync(path), false);
  });

  it('that a process left behind is replaced', async (t) => {
    const path = await socketPath(t);
    await leaveBehind(path);
    assert.ok(existsSync(path));
    const listener = await listen({ at: { path } }, 'h2', () => {});
    t.after(() => listener.close());
    const socket = connect(path);
    t.after(() => socket.destroy());
    await once(socket, 'connect');
  });

  it('where somebody listens is left alone', async (t) => {
    const path = await socketPath(t);
    const first = await listen({ at: { path } }, 'h2', () => {});
    t.after(() => first.close());
    await assert.rejects(
      listen({ at: { path } }, 'h2', () => {}),
      { code: 'CANNOT_LISTEN' },
    );
    assert.ok(existsSync(path));
  });

  it('never takes the place of a file that is something else', async (t) => {
    const path = await socketPath(t);
    await writeFile(path, 'precious');
    await assert.rejects(
      listen({ at: { path } }, 'h2', () => {}),
      { code: 'CANNOT_LISTEN' },
    );
    assert.ok((await stat(path)).isFile());
  });

  it('with a name that is too long says so', async (t) => {
    const path = `${await socketPath(t)}${'x'.repeat(200)}`;
    await assert.rejects(
      listen({ at: { path } }, 'h2', () => {}),
      { code: 'CANNOT_LISTEN' },
    );
  });
});

describe('a port', { timeout: PATIENCE_MS }, () => {
  it('that is taken says so', async (t) => {
    const first = await listen({ at: { host: '127.0.0.1', port: 0 } }, 'h2', () => {});
    t.after(() => first.close());
    await assert.rejects(
      listen({ at: first.address }, 'h2', () => {}),
      { code: 'CANNOT_LISTEN' },
    );
  });

  it('drops connections beyond the most that it takes', async (t) => {
    const listener = await listen({ at: { host: '127.0.0.1', port: 0 }, maxConnections: 1 }, 'h2', () => {});
    t.after(() => listener.close());
    const { port } = listener.address as { port: number };
    const sockets = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    for (const socket of sockets) t.after(() => socket.on('error', () => {}).destroy());
    await Promise.race(sockets.map((socket) => once(socket, 'close')));
  });

  it('closes also while somebody has not finished the handshake', async (t) => {
    const listener = await listen({ at: { host: '127.0.0.1', port: 0 }, tls: makeTestTls().server }, 'h2', () => {});
    const { port } = listener.address as { port: number };
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    await listener.close();
    socket.resume();
    await closed;
  });
});

async function socketPath(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'listen-'));
  t.after(() => rm(folder, { recursive: true }));
  return join(folder, 's');
}

/** By a process that has no time to clean up. */
async function leaveBehind(path: string): Promise<void> {
  const script = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  await once(spawn(process.execPath, ['-e', script, path]), 'exit');
}
