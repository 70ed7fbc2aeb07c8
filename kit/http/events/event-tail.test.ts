import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FakeClock } from '#testing/fake-clock';
import { MemoryEventSource, type TestEvent } from '../testing/memory-event-source.ts';
import { MemoryLog } from '../testing/test-server.ts';
import { plainEventIds } from './event-ids.ts';
import { EventTail, type TailLimits, type TailReader } from './event-tail.ts';

const signal = new AbortController().signal;

function setUp(limits: Partial<TailLimits> = {}) {
  const clock = new FakeClock();
  const source = new MemoryEventSource();
  const log = new MemoryLog();
  const view = ({ text }: TestEvent): object => ({ text });
  const tail = new EventTail<TestEvent>({ source, view, ids: plainEventIds, sleep: clock.sleep, log, limits });
  return { clock, source, log, tail };
}

/** Reads until this many events came, and returns their texts. */
async function take(reader: TailReader<TestEvent>, after: number, count: number): Promise<string[]> {
  const texts: string[] = [];
  let cursor = after;
  while (texts.length < count) {
    const page = await reader.page(cursor, signal);
    assert.ok(page, 'expired');
    texts.push(...page.events.map(({ event }) => event.text));
    cursor = page.upTo;
    if (page.events.length === 0) await reader.waitBeyond(cursor, 1_000_000, signal);
  }
  return texts;
}

describe('the tail of an event log', () => {
  it('reads an event once, however many wait for it', async () => {
    const { source, tail } = setUp();
    source.append('old');
    const readers = Array.from({ length: 50 }, () => tail.follow((reader) => take(reader, 1, 2)));
    await turn();
    const before = source.reads;
    source.append('a');
    await turn();
    source.append('b');
    for (const texts of await Promise.all(readers)) assert.deepEqual(texts, ['a', 'b']);
    assert.ok(source.reads - before <= 4, `${source.reads - before} reads for 2 events and 50 readers`);
  });

  it('gives everything to a reader that begins further back than it reaches', async () => {
    const { source, tail } = setUp({ maxEvents: 10 });
    const texts = Array.from({ length: 350 }, (_, index) => `e${index}`);
    source.append(...texts.slice(0, 300));
    const reading = tail.follow((reader) => take(reader, 0, 350));
    source.append(...texts.slice(300));
    assert.deepEqual(await reading, texts);
  });

  it('tells a reader that is behind what is kept', async () => {
    const { source, tail } = setUp({ maxEvents: 5 });
    source.append(...Array(50).fill('x'));
    source.forgetUpTo(30);
    await tail.follow(async (reader) => {
      assert.equal(await reader.page(29, signal), undefined);
      assert.equal((await reader.page(30, signal))?.events.length, 20);
    });
    source.forgetUpTo(50);
    await tail.follow(async (reader) => assert.equal(await reader.page(49, signal), undefined, 'all are forgotten'));
  });

  it('goes on after the source refused, and says so', async () => {
    const { clock, source, log, tail } = setUp({ retryMs: 500 });
    const reading = tail.follow((reader) => take(reader, 0, 1));
    await clock.untilSleeping(2);
    source.failures.push(new Error('away'), new Error('still away'));
    source.append('a');
    for (let tries = 0; tries < 2; tries += 1) {
      await turn();
      await clock.advance(500);
    }
    assert.deepEqual(await reading, ['a']);
    assert.equal(log.at('warn').length, 2);
  });

  it('finds events whose announcement was lost', async () => {
    const { clock, source, tail } = setUp({ pollMs: 15_000 });
    const reading = tail.follow((reader) => take(reader, 0, 1));
    await clock.untilSleeping(2);
    source.appendQuietly('a');
    await clock.advance(15_000);
    assert.deepEqual(await reading, ['a']);
  });

  it('misses nothing that happens while it reads', async () => {
    const { source, tail } = setUp();
    const reading = tail.follow((reader) => take(reader, 0, 2));
    await turn();
    source.whileReading = 'b';
    source.append('a');
    assert.deepEqual(await reading, ['a', 'b']);
  });

  it('gets over positions that nothing became of', async () => {
    const { source, tail } = setUp();
    source.append('a');
    source.skip();
    source.skip();
    const reading = tail.follow((reader) => take(reader, 0, 2));
    await turn();
    source.append('b');
    assert.deepEqual(await reading, ['a', 'b']);
  });

  it('rests while nobody reads', async () => {
    const { clock, source, tail } = setUp();
    await tail.follow(async () => assert.equal(source.listeners, 1));
    await turn();
    const { reads } = source;
    source.append('a');
    await clock.advance(60_000);
    assert.equal(source.reads, reads);
    assert.equal(source.listeners, 0);
    assert.equal(clock.sleeping, 0);
    assert.deepEqual(await tail.follow((reader) => take(reader, 0, 1)), ['a']);
  });

  it('lets a reader go when its signal aborts', async () => {
    const { tail, source } = setUp();
    const gone = new AbortController();
    const reading = tail.follow((reader) => reader.waitBeyond(0, 1_000_000, gone.signal));
    await turn();
    gone.abort(new RangeError('gone'));
    await assert.rejects(reading, RangeError);
    assert.equal(source.listeners, 0);
  });

  it('does not begin when the source cannot tell where it ends, and can be tried again', async () => {
    const { source, tail } = setUp();
    source.unknownEnd = new RangeError('away');
    await assert.rejects(
      tail.follow(async () => undefined),
      RangeError,
    );
    source.unknownEnd = undefined;
    source.append('a');
    assert.deepEqual(await tail.follow((reader) => take(reader, 0, 1)), ['a']);
  });
});
