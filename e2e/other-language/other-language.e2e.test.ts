import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { type Admission, createAcceptor, type Inbound } from '#contexts/channels';
import { sleep, systemClock } from '#kit/std';
import { listenGrpc } from '#kit/transport/grpc';
import { logToStderr } from '#testing/log-to-stderr';
import { PATIENCE_MS } from '#testing/patience';
import { CHANNEL_METHOD, frameAcceptor, sha256 } from '../../contexts/channels/adapters/index.ts';
import type { LinkedChannel } from '../../contexts/channels/application/channel.ts';
import { createReliableChannel } from '../../contexts/channels/application/reliable-channel.ts';
import { findClient } from './find-client.ts';

const CHANNEL = 'greetings';
const PROTOS = join(import.meta.dirname, '../../protocol/proto');
const WINDOW = { messages: 100, bytes: 1024 * 1024 };

/** The client's output. */
interface Outcome {
  readonly version: number;
  readonly received: readonly string[];
  readonly acknowledged: readonly string[];
  readonly closed: { readonly reason: string; readonly message: string } | null;
}

const client = await findClient(logToStderr);
const skip = client === undefined && 'there is no Go to build the client with';
if (skip) logToStderr(`e2e/other-language is skipped: ${skip}`);

describe('a client in another language, by the proto files alone', { skip, timeout: PATIENCE_MS }, () => {
  it('takes messages and chunks, acknowledges them, and sends its own', async (t) => {
    const { channel, got, address } = await serve(t);
    const settled: string[] = [];
    const texts = ['hello', 'good morning'];
    for (const payload of [...texts.map((text) => Buffer.from(text)), Buffer.alloc(300_000, 7)]) {
      await channel.send({ payload, key: 'greetings', settled: (how) => settled.push(how) }, t.signal);
    }
    const outcome = await run(t, ['--address', address, '--channel', CHANNEL, '--count', '3']);
    assert.deepEqual(outcome, {
      version: 1,
      received: [...texts, '300000 bytes'],
      acknowledged: ['1', '2', '3'],
      closed: null,
    });
    assert.deepEqual(settled, ['acknowledged', 'acknowledged', 'acknowledged']);
    assert.deepEqual(
      got.map(({ key, payload }) => [key, Buffer.from(payload).toString()]),
      [...texts, '300000 bytes'].map((text) => ['answers', `thank you for ${text}`]),
    );
  });

  const refusals = [
    { why: 'a channel that nobody serves', args: ['--channel', 'nonsense'], reason: 'CLOSE_REASON_UNKNOWN_CHANNEL' },
    { why: 'a version from the future', args: ['--version', '99'], reason: 'CLOSE_REASON_VERSION' },
  ];
  for (const { why, args, reason } of refusals) {
    it(`is told why it is refused: ${why}`, async (t) => {
      const { address } = await serve(t);
      const outcome = await run(t, ['--address', address, '--channel', CHANNEL, ...args]);
      assert.equal(outcome.closed?.reason, reason);
      assert.notEqual(outcome.closed.message, '');
    });
  }
});

async function serve(t: TestContext): Promise<{ channel: LinkedChannel; got: Inbound[]; address: string }> {
  const got: Inbound[] = [];
  const channel = createReliableChannel({
    name: CHANNEL,
    mode: 'reliable',
    handlers: {
      message: (message) => {
        got.push(message);
        message.ack();
      },
    },
    window: WINDOW,
    buffer: WINDOW,
    newIncarnation: () => 'ours',
    now: () => Date.now(),
    sha256,
  });
  const acceptor = createAcceptor({
    admit: (open) => (open.channel === CHANNEL ? { kind: 'channel', channel } : unknownChannel(open.channel)),
    session: 'the other end',
    clock: systemClock,
    sleep,
    heartbeatMs: 60_000,
  });
  const folder = await mkdtemp(join(tmpdir(), 'other-language-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'socket');
  const server = await listenGrpc({ at: { path }, path: CHANNEL_METHOD, accept: frameAcceptor(acceptor.accept) });
  t.after(() => server.close());
  return { channel, got, address: `unix:${path}` };
}

function unknownChannel(name: string): Admission {
  return { kind: 'refused', reason: 'unknownChannel', message: `nobody serves ${name}` };
}

async function run(t: TestContext, args: readonly string[]): Promise<Outcome> {
  const all = ['--protos', PROTOS, ...args];
  const { stdout } = await promisify(execFile)(client ?? '', all, { signal: t.signal, timeout: PATIENCE_MS });
  return JSON.parse(stdout) as Outcome;
}
