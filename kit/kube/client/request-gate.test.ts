import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { type GateOptions, type Priority, RequestGate } from './request-gate.ts';

const never = new AbortController().signal;

function gate(options: Partial<GateOptions> = {}) {
  const clock = new FakeClock();
  const made = new RequestGate({ maxInFlight: 10, maxWaiting: 10, clock, sleep: clock.sleep, ...options });
  const order: string[] = [];
  /** Enters in the background, and records it. */
  const enter = (name: string, priority: Priority = 'normal', signal = never): Promise<void> =>
    made.enter(priority, signal).then(() => void order.push(name));
  return { clock, gate: made, order, enter };
}

describe('RequestGate', () => {
  it('lets everything go at once when nothing limits it', async () => {
    const { enter, order } = gate({ maxInFlight: 3 });
    await Promise.all([enter('a'), enter('b'), enter('c')]);
    assert.deepEqual(order, ['a', 'b', 'c']);
  });

  it('lets no more be under way than allowed, the first first', async () => {
    const { gate: made, enter, order } = gate({ maxInFlight: 1 });
    await enter('a');
    const rest = [enter('b'), enter('c')];
    assert.deepEqual(order, ['a']);
    made.leave();
    await rest[0];
    assert.deepEqual(order, ['a', 'b']);
    made.leave();
    await rest[1];
    assert.deepEqual(order, ['a', 'b', 'c']);
  });

  it('lets the urgent go before those who came earlier', async () => {
    const { clock, enter, order } = gate({ rate: { perSecond: 1, burst: 1 } });
    await enter('first');
    const rest = [enter('low', 'low'), enter('normal'), enter('high', 'high')];
    for (let second = 0; second < 3; second += 1) {
      await clock.untilSleeping();
      await clock.advance(1000);
    }
    await Promise.all(rest);
    assert.deepEqual(order, ['first', 'high', 'normal', 'low']);
  });

  it('does not hold the urgent up behind requests that are stuck', async () => {
    const { enter, order } = gate({ maxInFlight: 1 });
    await enter('stuck');
    const bulk = enter('bulk');
    await enter('lease', 'high');
    assert.deepEqual(order, ['stuck', 'lease']);
    bulk.catch(() => {});
  });

  it('keeps to its rate, after the burst', async () => {
    const { clock, enter, order } = gate({ rate: { perSecond: 10, burst: 2 } });
    const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => enter(name)));
    await clock.untilSleeping();
    assert.deepEqual(order, ['a', 'b']);
    await clock.advance(100);
    assert.deepEqual(order, ['a', 'b', 'c']);
    await clock.advance(100);
    await all;
    assert.deepEqual(order, ['a', 'b', 'c', 'd']);
  });

  it('gives no more than the burst after a quiet hour', async () => {
    const { clock, enter, order } = gate({ rate: { perSecond: 10, burst: 2 } });
    await clock.advance(3_600_000);
    const third = Promise.all(['a', 'b', 'c'].map((name) => enter(name)));
    await clock.untilSleeping();
    assert.deepEqual(order, ['a', 'b']);
    await clock.advance(100);
    await third;
  });

  it('refuses whoever comes when too many wait', async () => {
    const { enter } = gate({ maxInFlight: 1, maxWaiting: 1 });
    await enter('a');
    const waiting = enter('b');
    await assert.rejects(enter('c'), { code: 'OVERLOADED' });
    waiting.catch(() => {});
  });

  it('forgets whoever gives up', async () => {
    const { gate: made, enter, order } = gate({ maxInFlight: 1 });
    await enter('a');
    const stop = new AbortController();
    const [b, c] = [enter('b', 'normal', stop.signal), enter('c')];
    const reason = new Error('enough');
    stop.abort(reason);
    await assert.rejects(b, reason);
    made.leave();
    await c;
    assert.deepEqual(order, ['a', 'c']);
    assert.equal(made.waiting, 0);
  });

  it('refuses whoever waits when it is closed', async () => {
    const { gate: made, enter } = gate({ maxInFlight: 1 });
    await enter('a');
    const waiting = enter('b');
    made.close();
    await assert.rejects(waiting, { code: 'CLOSED' });
    await assert.rejects(enter('c'), { code: 'CLOSED' });
  });
});
