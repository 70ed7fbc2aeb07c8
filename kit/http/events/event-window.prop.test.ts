import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { frameEvent } from './event-frame.ts';
import { EventWindow } from './event-window.ts';

const limits = { maxEvents: 20, maxChars: 2000 };
const gaps = fc.array(fc.record({ gap: fc.integer({ min: 1, max: 5 }), size: fc.integer({ min: 0, max: 300 }) }), {
  maxLength: 100,
});

describe('the window of the newest events', () => {
  it('has every event after its floor, in order, and stays small', () => {
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 7 }), fc.nat(600), (steps, batch, asked) => {
        let position = 10;
        const events = steps.map(({ gap, size }) => {
          position += gap;
          return frameEvent({ position, type: 't' }, { text: 'x'.repeat(size) }, String(position));
        });
        const window = new EventWindow(10, limits);
        for (let at = 0; at < events.length; at += batch) window.append(events.slice(at, at + batch));
        assert.equal(window.head, position);
        const held = window.after(window.floor, 1000);
        assert.ok(held.length <= limits.maxEvents);
        assert.ok(held.reduce((sum, { frame }) => sum + frame.length, 0) <= limits.maxChars);
        const from = Math.max(asked, window.floor);
        assert.deepEqual(
          window.after(from, 1000),
          events.filter(({ event }) => event.position > from),
        );
        assert.deepEqual(window.after(from, 3), window.after(from, 1000).slice(0, 3));
      }),
    );
  });
});
