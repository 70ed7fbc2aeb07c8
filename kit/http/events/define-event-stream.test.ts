import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FakeClock } from '#testing/fake-clock';
import { PATIENCE_MS } from '#testing/patience';
import { HttpError } from '../errors/http-error.ts';
import { RouteRequest } from '../routes/route-request.ts';
import { MemoryEventSource } from '../testing/memory-event-source.ts';
import { MemoryLog } from '../testing/test-server.ts';
import { defineEventStream, type EventStreamDeps } from './define-event-stream.ts';

interface Wish {
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly who?: string;
  readonly isStillKnown?: () => Promise<boolean>;
}

function setUp(options: Partial<EventStreamDeps> = {}) {
  const clock = new FakeClock();
  const source = new MemoryEventSource();
  const route = defineEventStream(
    {
      path: '/v1/events',
      operationId: 'streamEvents',
      summary: 'What happens',
      permission: 'events.read',
      source,
      view: ({ type, text }) => ({ type, text }),
      filter: { text: 'string' },
      visible: ({ id }, { text }) => id === 'root' || !text.includes('secret'),
    },
    { log: new MemoryLog(), clock, sleep: clock.sleep, ...options },
  );
  const open = async ({ query = {}, headers = {}, who = 'root', isStillKnown = async () => true }: Wish = {}) => {
    if (route.respond.kind !== 'stream') throw new TypeError('not a stream');
    return await route.respond.open(
      new RouteRequest({
        id: 'r',
        operationId: 'streamEvents',
        params: {},
        query,
        body: undefined,
        headers,
        time: 0,
        path: '/v1/events',
        method: 'GET',
        address: '::1',
        dryRun: false,
        idempotency: undefined,
        principal: { kind: 'user', id: who },
        signal: AbortSignal.timeout(PATIENCE_MS),
        allows: async () => true,
        isStillKnown,
        audit: undefined,
      }),
    );
  };
  /** A client that reads immediately. */
  const follow = async (wish: Wish = {}) => {
    const stream = await open(wish);
    const stop = new AbortController();
    const chunks: string[] = [];
    const write = async (chunk: string): Promise<void> => void chunks.push(chunk);
    const ended = stream.run(write, stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    await turn();
    return { chunks, ended, stop: () => (stop.abort(), ended) };
  };
  return { clock, source, open, follow };
}

const frame = (id: number, text: string): string => {
  const type = text.startsWith('!') ? 'loud' : 'plain';
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, text })}\n\n`;
};

describe('an event stream', () => {
  for (const { why, isStillKnown } of [
    { why: 'were revoked', isStillKnown: async () => false },
    { why: 'nobody can check now', isStillKnown: () => Promise.reject(new Error('the issuer is away')) },
  ]) {
    it(`tells nothing more to credentials that ${why}`, async () => {
      const { source, follow } = setUp();
      let ask = async (): Promise<boolean> => true;
      const { chunks, ended } = await follow({ isStillKnown: () => ask() });
      source.append('seen');
      await turn();
      ask = isStillKnown;
      source.append('not seen');
      await ended;
      assert.deepEqual(chunks.slice(1), [frame(1, 'seen')]);
    });
  }

  it('ends for credentials that were revoked, also when nothing happens', async () => {
    const { clock, follow } = setUp({ heartbeatMs: 1_000 });
    let isKnown = true;
    const { chunks, ended } = await follow({ isStillKnown: async () => isKnown });
    isKnown = false;
    await clock.advance(1_000);
    await ended;
    assert.equal(chunks.length, 1);
  });

  it('begins now, and tells what happens', async () => {
    const { source, follow } = setUp();
    source.append('before');
    const { chunks, stop } = await follow();
    source.append('one', '!two');
    await turn();
    assert.deepEqual(chunks, ['retry: 2000\n\nid: 1\n\n', frame(2, 'one'), frame(3, '!two')]);
    await stop();
  });

  for (const { why, wish } of [
    { why: 'the header', wish: { headers: { 'last-event-id': '2' } } },
    { why: 'the parameter', wish: { query: { lastEventId: '2' } } },
    {
      why: 'the header of a browser that came back',
      wish: { headers: { 'last-event-id': '2' }, query: { lastEventId: '1' } },
    },
  ]) {
    it(`goes on after the last event of ${why}`, async () => {
      const { source, follow } = setUp();
      source.append('one', 'two', 'three');
      const { chunks, stop } = await follow(wish);
      assert.deepEqual(chunks.slice(1), [frame(3, 'three')]);
      await stop();
    });
  }

  it('begins at the beginning of what is kept', async () => {
    const { source, follow } = setUp();
    source.append('one', 'two', 'three');
    source.forgetUpTo(1);
    const { chunks, stop } = await follow({ query: { from: 'beginning' } });
    assert.deepEqual(chunks, ['retry: 2000\n\nid: 1\n\n', frame(2, 'two'), frame(3, 'three')]);
    await stop();
  });

  it('is refused when events would be missing', async () => {
    const { source, open } = setUp();
    source.append('one', 'two', 'three', 'four');
    source.forgetUpTo(2);
    const gone = (error: unknown): boolean => error instanceof HttpError && error.code === 'EVENTS_EXPIRED';
    await assert.rejects(open({ query: { lastEventId: '1' } }), gone);
    await assert.rejects(open({ query: { lastEventId: '5' } }), gone, 'an id of a history that was lost');
    await open({ query: { lastEventId: '2' } });
    await open({ query: { lastEventId: '4' } });
    source.forgetUpTo(4);
    await assert.rejects(open({ query: { lastEventId: '3' } }), gone, 'everything is forgotten');
    await open({ query: { from: 'beginning' } });
  });

  for (const header of ['', 'x', '-1', '1.5', '01', '9'.repeat(20)]) {
    it(`is refused with a Last-Event-ID that is none: ${JSON.stringify(header)}`, async () => {
      const { open } = setUp();
      await assert.rejects(
        open({ headers: { 'last-event-id': header } }),
        (error) => error instanceof HttpError && error.faults[0]?.path === 'header/last-event-id',
      );
    });
  }

  it('shows the types that were asked for, what the filter matches, and what the caller may see', async () => {
    const { source, follow } = setUp();
    const loud = await follow({ query: { types: ['loud'] } });
    const filtered = await follow({ query: { filter: 'text.contains("o")' } });
    const bob = await follow({ who: 'bob' });
    source.append('one', '!two', 'secret', 'three');
    await turn();
    assert.deepEqual(loud.chunks.slice(1), [frame(2, '!two')]);
    assert.deepEqual(filtered.chunks.slice(1), [frame(1, 'one'), frame(2, '!two')]);
    assert.deepEqual(bob.chunks.slice(1), [frame(1, 'one'), frame(2, '!two'), frame(4, 'three')]);
    for (const { stop } of [loud, filtered, bob]) await stop();
  });

  it('goes on past an event on which its filter cannot be worked out', async () => {
    const { source, follow } = setUp();
    const { chunks, stop } = await follow({ query: { filter: '10 / (size(text) - 3) > 0' } });
    source.append('one', 'four');
    await turn();
    assert.deepEqual(chunks.slice(1), [frame(2, 'four')]);
    await stop();
  });

  it('is refused with a filter that cannot be used', async () => {
    const { open } = setUp();
    await assert.rejects(
      open({ query: { filter: 'nope == 1' } }),
      (error) => error instanceof HttpError && error.code === 'INVALID_FILTER',
    );
  });

  it('has a heartbeat that says how far it came, whether or not something was hidden', async () => {
    const { clock, source, follow } = setUp({ tail: { pollMs: 1_000_000 } });
    const { chunks, stop } = await follow({ query: { types: ['loud'] } });
    await clock.advance(15_000);
    source.append('hidden', 'hidden');
    await turn();
    await clock.advance(15_000);
    await clock.advance(15_000);
    assert.deepEqual(chunks.slice(1), ['id: 0\n\n', 'id: 2\n\n', 'id: 2\n\n']);
    await stop();
  });

  it('has a heartbeat also while everything is hidden', async () => {
    const { clock, source, follow } = setUp();
    const { chunks, stop } = await follow({ query: { types: ['loud'] } });
    for (let second = 0; second < 31; second += 1) {
      source.append('hidden');
      await clock.advance(1000);
    }
    assert.equal(chunks.length - 1, 2);
    await stop();
  });

  it('does not run ahead of a client that reads slowly', async () => {
    const { source, open } = setUp({ tail: { maxEvents: 10 } });
    const stream = await open();
    const stop = new AbortController();
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
    const chunks: string[] = [];
    const ended = stream
      .run(async (chunk) => {
        chunks.push(chunk);
        if (chunks.length === 2) await gate;
      }, stop.signal)
      .catch(() => {});
    await turn();
    const texts = Array.from({ length: 300 }, (_, index) => `e${index}`);
    source.append(...texts);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    assert.equal(chunks.length, 2, 'nothing is written while the client is behind');
    openGate();
    while (chunks.length < 301) await turn();
    assert.deepEqual(
      chunks.slice(1),
      texts.map((text, index) => frame(index + 1, text)),
    );
    stop.abort();
    await ended;
  });

  it('ends when its client fell behind what is kept', async () => {
    const { source, open } = setUp({ tail: { maxEvents: 10 } });
    const stream = await open();
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
    const chunks: string[] = [];
    const ended = stream.run(async (chunk) => {
      chunks.push(chunk);
      if (chunks.length === 2) await gate;
    }, AbortSignal.timeout(PATIENCE_MS));
    await turn();
    source.append(...Array<string>(300).fill('x'));
    await turn();
    source.forgetUpTo(250);
    openGate();
    await ended;
    assert.ok(chunks.length < 250);
  });

  it('ends after a while, so that its client is authenticated anew', async () => {
    const { clock, follow } = setUp({ maxAgeMs: 60_000 });
    const { ended } = await follow();
    await clock.advance(60_000);
    await ended;
  });

  it('is one line of data, whatever an event holds', async () => {
    const { source, follow } = setUp();
    const { chunks, stop } = await follow();
    source.append('line\nbreak\r\nand  more');
    await turn();
    assert.equal(chunks[1]?.split('\n').length, 5);
    await stop();
  });
});
