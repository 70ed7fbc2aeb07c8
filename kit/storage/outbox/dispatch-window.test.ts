import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DispatchWindow, type Standing } from './dispatch-window.ts';

const LARGE = { cursor: 0, recordedThrough: 0, size: 100, concurrency: 4 };
const arrival = (position: number, key: string, standing: Standing = 'free') => ({
  event: { position, key },
  standing,
});
const deferred = (position: number, key: string) => ({ event: { position, key }, attempts: 1 });

/** Fills all slots; returns the keys of the started events in order. */
function startAll(window: DispatchWindow<{ position: number; key: string }>): string[] {
  const keys: string[] = [];
  for (let turn = window.start(); turn !== undefined; turn = window.start()) keys.push(turn.event.key);
  return keys;
}

describe('DispatchWindow', () => {
  it('lets fresh and deferred keys take turns, so that neither waits for the other to run dry', () => {
    const window = new DispatchWindow({ ...LARGE, concurrency: 1 });
    window.resume('old', [deferred(1, 'old'), deferred(2, 'old')]);
    window.admit([arrival(3, 'new'), arrival(4, 'new')], 4);
    const order: string[] = [];
    for (let turn = window.start(); turn !== undefined; turn = window.start()) {
      order.push(turn.event.key);
      window.settle(turn, { kind: 'done' }, 0);
    }
    assert.deepEqual(order, ['new', 'old', 'new', 'old']);
  });

  for (const { concurrency, room } of [
    { concurrency: 1, room: 1 },
    { concurrency: 2, room: 1 },
    { concurrency: 5, room: 2 },
    { concurrency: 8, room: 4 },
  ]) {
    it(`takes up ${room} held keys at a time with ${concurrency} slots, and has the others for the rest`, () => {
      const window = new DispatchWindow({ ...LARGE, concurrency });
      const keys = Array.from({ length: room }, (_, index) => `old${index}`);
      for (const key of keys) {
        assert.ok(window.deferredRoom > 0);
        window.resume(key, [deferred(1, key)]);
      }
      assert.equal(window.deferredRoom, 0);
      assert.deepEqual(startAll(window), keys);
      assert.equal(window.deferredRoom, 0);
    });
  }

  it('makes a key that has more to do due again, behind those that wait longer', () => {
    const window = new DispatchWindow(LARGE);
    window.resume('a', [deferred(1, 'a')]);
    const turn = window.start();
    assert.ok(turn);
    window.settle(turn, { kind: 'done' }, 77);
    assert.equal(window.record().held.get('a'), 77);
  });

  it('takes in nothing that the database said before it knew what was decided here', () => {
    const window = new DispatchWindow(LARGE);
    window.admit([arrival(1, 'a', 'held')], 1);
    assert.throws(() => window.admit([arrival(2, 'a')], 2), /rows to record/);
    assert.throws(() => window.resume('b', [deferred(3, 'b')]), /rows to record/);
    window.record();
    window.admit([arrival(2, 'a', 'held')], 2);
  });

  it('counts a cursor that only ran past foreign events as moved, and not as news', () => {
    const window = new DispatchWindow(LARGE);
    window.admit([], 9);
    assert.deepEqual([window.hasNews, window.hasMoved], [false, true]);
    assert.equal(window.record().cursor, 9);
    assert.equal(window.hasMoved, false);
  });

  it('never starts more than it has slots, and never two of a key', () => {
    const window = new DispatchWindow({ ...LARGE, concurrency: 2 });
    window.admit([arrival(1, 'a'), arrival(2, 'a'), arrival(3, 'b'), arrival(4, 'c')], 4);
    assert.deepEqual(startAll(window), ['a', 'b']);
    assert.equal(window.hasFreeSlot, false);
  });
});
