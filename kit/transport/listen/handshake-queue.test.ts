import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { PATIENCE_MS } from '#testing/patience';
import { HandshakeQueue, type HandshakeQueueOptions, roomAfter } from './handshake-queue.ts';

describe('handshakes', { timeout: PATIENCE_MS }, () => {
  it('are begun in the order of calling, a few at once, and another when one is over', () => {
    const { queue, begun } = aQueue({ fewest: 3 });
    for (let nth = 1; nth <= 10; nth += 1) queue.add(nth, 'here');
    assert.deepEqual(begun, [1, 2, 3]);
    queue.over(2);
    queue.over(2);
    queue.over(1);
    assert.deepEqual(begun, [1, 2, 3, 4, 5]);
  });

  it('that come to nothing hold up no other', async () => {
    const { queue, begun } = aQueue({ fewest: 2, patienceMs: 10 });
    for (let nth = 1; nth <= 5; nth += 1) queue.add(nth, 'here');
    while (begun.length < 5) await pause(1);
    assert.deepEqual(begun, [1, 2, 3, 4, 5]);
  });

  it('of callers that are gone already are over at once', () => {
    const asked: number[] = [];
    const queue = new HandshakeQueue<number>({
      begin: (nth) => {
        asked.push(nth);
        queue.over(nth);
      },
      expire: () => {},
      fewest: 1,
      patienceMs: 60_000,
    });
    for (let nth = 1; nth <= 5; nth += 1) queue.add(nth, 'here');
    assert.deepEqual(asked, [1, 2, 3, 4, 5]);
  });

  it('are more at once where this process is idle, and soon fewer where it is late', () => {
    let room = 4;
    for (let looks = 0; looks < 100; looks += 1) room = roomAfter(room, 0, 4);
    assert.equal(room, 16);
    assert.equal(roomAfter(room, 5, 4), 16);
    assert.equal(roomAfter(room, 50, 4), 8);
    assert.equal(roomAfter(5, 50, 4), 4);
  });

  it('that wait for callers from afar leave room for others', async () => {
    const { queue, begun } = aQueue({ fewest: 2 });
    for (let nth = 1; nth <= 5; nth += 1) queue.add(nth, 'here');
    while (begun.length < 5) await pause(1);
    assert.deepEqual(begun, [1, 2, 3, 4, 5]);
  });

  it('of a network that has none unfinished come before all others', async () => {
    const { queue, begun } = aQueue({ fewest: 1, patienceMs: 10 });
    for (let nth = 1; nth <= 100; nth += 1) queue.add(nth, `hostile ${nth % 5}`);
    while (begun.length < 10) await pause(1);
    const before = begun.length;
    queue.add(1_000, 'honest');
    while (begun.length === before) await pause(1);
    assert.equal(begun[before], 1_000, 'each hostile network has two that never end');
  });

  it('of one network are at most so many until one of them is over', async () => {
    const { queue, begun } = aQueue({ fewest: 4, patienceMs: 1, limits: { total: 10, each: 3 } });
    for (let nth = 1; nth <= 10; nth += 1) queue.add(nth, 'here');
    queue.add(100, 'there');
    while (!begun.includes(100)) await pause(1);
    assert.deepEqual(begun, [1, 2, 3, 100]);
    queue.over(1);
    while (begun.length < 5) await pause(1);
    assert.deepEqual(begun, [1, 2, 3, 100, 4]);
  });

  it('that do not end give way to others, the oldest first', async () => {
    const { queue, begun, expired } = aQueue({ fewest: 1, patienceMs: 1, limits: { total: 3, each: 3 } });
    for (let nth = 1; nth <= 4; nth += 1) queue.add(nth, `hostile ${nth}`);
    while (begun.length < 4) await pause(1);
    assert.deepEqual(expired, [1]);
    queue.add(100, 'honest');
    while (!begun.includes(100)) await pause(1);
    assert.deepEqual(expired, [1, 2]);
  });

  it('that wait too long for their turn are given up', async () => {
    const { queue, begun, expired } = aQueue({ fewest: 1, limits: { total: 10, each: 1 }, waitMs: 1 });
    for (let nth = 1; nth <= 3; nth += 1) queue.add(nth, 'here');
    while (expired.length < 2) await pause(1);
    assert.deepEqual([begun, expired], [[1], [2, 3]]);
  });
});

function aQueue(options: Partial<HandshakeQueueOptions<number>>) {
  const [begun, expired]: [number[], number[]] = [[], []];
  const queue = new HandshakeQueue<number>({
    begin: (nth) => void begun.push(nth),
    expire: (nth) => void expired.push(nth),
    patienceMs: 60_000,
    ...options,
  });
  return { queue, begun, expired };
}
