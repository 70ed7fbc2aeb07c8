import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { HttpError } from '../errors/http-error.ts';
import { MemoryLog } from '../testing/test-server.ts';
import { Exchange } from './exchange.ts';
import { streamReply } from './stream-reply.ts';

/** A response whose client takes one chunk each time it is told to. */
class SlowResponse extends Writable {
  readonly taken: string[] = [];
  #next = Promise.withResolvers<void>();

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.taken.push(String(chunk));
    this.#next.promise.then(done, done);
  }

  take(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  setHeader(): void {}
  writeHead(): void {}
  flushHeaders(): void {}
}

function setUp(stallMs = 60_000) {
  const raw = new SlowResponse({ highWaterMark: 1000, decodeStrings: true });
  const reply = { raw, hijack: () => reply, getHeaders: () => ({}) } as unknown as FastifyReply;
  const exchange = new Exchange({ id: 'r1', method: 'GET', path: '/', address: '::1', time: 0, cut: () => {} });
  const log = new MemoryLog();
  return { raw, log, exchange, parts: { exchange, reply }, deps: { log, stallMs } };
}

const contentType = 'text/plain';

describe('writing a stream', () => {
  it('waits for its client, and holds no more than a little', async () => {
    const { raw, parts, deps } = setUp();
    let written = 0;
    const run = async (write: (chunk: string) => Promise<void>): Promise<void> => {
      for (; written < 100; written += 1) await write('x'.repeat(400));
    };
    const ended = streamReply({ contentType, run }, parts, deps);
    for (let turns = 0; turns < 10; turns += 1) await turn();
    assert.ok(written < 5, `${written} chunks were written ahead`);
    assert.ok(raw.writableLength <= 1600);
    while (raw.taken.length < 100) {
      raw.take();
      await turn();
    }
    await ended;
    assert.equal(raw.writableEnded, true);
  });

  it('ends in order when the server closes, also while it waits', async () => {
    const { raw, log, exchange, parts, deps } = setUp();
    const run = (write: (chunk: string) => Promise<void>): Promise<void> => write('x'.repeat(5000));
    const ended = streamReply({ contentType, run }, parts, deps);
    await turn();
    exchange.abort(new HttpError('SHUTTING_DOWN', 'closing'));
    await ended;
    assert.equal(raw.writableEnded, true);
    assert.deepEqual(log.lines, []);
  });

  it('gives up on a client that takes nothing', async () => {
    const { raw, exchange, parts, deps } = setUp(20);
    raw.once('close', () => exchange.abort(new HttpError('CLIENT_GONE', 'gone')));
    const run = (write: (chunk: string) => Promise<void>): Promise<void> => write('x'.repeat(5000));
    await streamReply({ contentType, run }, parts, deps);
    assert.equal(raw.destroyed, true);
  });

  it('that breaks off is somebody to look at', async () => {
    const { raw, log, parts, deps } = setUp();
    await streamReply({ contentType, run: () => Promise.reject(new RangeError('broken')) }, parts, deps);
    assert.equal(log.at('error').length, 1);
    assert.equal(raw.writableEnded, true);
  });
});
