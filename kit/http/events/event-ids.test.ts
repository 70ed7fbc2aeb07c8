import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { opaqueEventIds, plainEventIds } from './event-ids.ts';

const KEY = Buffer.alloc(32, 7);

describe('ids of events', () => {
  for (const [name, ids] of [
    ['plain', plainEventIds],
    ['opaque', opaqueEventIds(KEY)],
  ] as const) {
    it(`are read as they were written: ${name}`, () => {
      fc.assert(fc.property(fc.nat({ max: 2 ** 47 }), (position) => ids.read(ids.write(position)) === position));
    });

    it(`are not made up: ${name}`, () => {
      for (const text of ['', 'x', '-1', '1.5', '01', '9'.repeat(20), 'A'.repeat(22), 'é'.repeat(22)]) {
        assert.equal(ids.read(text), undefined, text);
      }
    });
  }

  it('do not look the same twice, nor are read with another key', () => {
    const ids = opaqueEventIds(KEY);
    assert.notEqual(ids.write(5), ids.write(5));
    assert.equal(opaqueEventIds(Buffer.alloc(32, 8)).read(ids.write(5)), undefined);
  });
});
