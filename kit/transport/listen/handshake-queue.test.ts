import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { PATIENCE_MS } from '#testing/patience';
import { HandshakeQueue, roomAfter } from './handshake-queue.ts';

describe('handshakes', { timeout: PATIENCE_MS }, () => {
  it('are begun in the order of calling, a few at once, and another when one is over', () => {
    const begun: number[] = [];
    const queue = new HandshakeQueue<number>({ begin: (nth) => begun.push(nth), fewest: 3, patienceMs: 60_000 });
    for (let nth = 1; nth <= 10; nth += 1) queue.add(nth);
    assert.deepEqual(begun, [1, 2, 3]);
    queue.over();
    queue.over();
    assert.deepEqual(begun, [1, 2, 3, 4, 5]);
  });

  it('that come to nothing hold up nobody for ever', async () => {
    const begun: number[] = [];
    const queue = new HandshakeQueue<number>({ begin: (nth) => begun.push(nth), fewest: 2, patienceMs: 10 });
    for (let nth = 1; nth <= 5; nth += 1) queue.add(nth);
    while (begun.length < 5) await pause(1);
    assert.deepEqual(begun, [1, 2, 3, 4, 5]);
  });

  it('of callers that are gone already are over at once', () => {
    const asked: number[] = [];
    const queue = new HandshakeQueue<number>({
      begin: (nth) => {
        asked.push(nth);
        queue.over();
      },
      fewest: 1,
      patienceMs: 60_000,
    });
    for (let nth = 1; nth <= 5; nth += 1) queue.add(nth);
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
    const begun: number[] = [];
    const queue = new HandshakeQueue<number>({ begin: (nth) => begun.push(nth), fewest: 2, patienceMs: 60_000 });
    for (let nth = 1; nth <= 5; nth += 1) queue.add(nth);
    while (begun.length < 5) await pause(1);
    assert.deepEqual(begun, [1, 2, 3, 4, 5]);
  });
});
