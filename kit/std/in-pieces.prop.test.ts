import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inPieces } from './in-pieces.ts';

test('pieces hold all items in order, are full but for the last, and none is empty', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 9 }), (items, size) => {
      const pieces = inPieces(items, size);
      assert.deepEqual(pieces.flat(), items);
      assert.equal(pieces.length, Math.ceil(items.length / size));
      for (const piece of pieces.slice(0, -1)) assert.equal(piece.length, size);
    }),
  );
});
