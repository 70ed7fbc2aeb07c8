import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { emptyMap, entriesOf, firstOf, keysOf, type NumberMap, valueAt, withoutKey, withValue } from './number-map.ts';

const key = fc.oneof(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 0, max: 40_000 }));
const edit = fc.record({ key, value: fc.option(fc.string(), { nil: undefined }) });

test('it does what a Map does, in the order of keys, as JSON, and leaves older ones as they were', () => {
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 120 }), (edits) => {
      const model = new Map<number, string>();
      let map: NumberMap<string> = emptyMap();
      for (const { key: at, value } of edits) {
        const before = JSON.stringify(map);
        const next = value === undefined ? withoutKey(map, at) : withValue(map, at, value);
        if (value === undefined) model.delete(at);
        else model.set(at, value);
        assert.equal(JSON.stringify(map), before);
        assert.equal(valueAt(next, at), value);
        map = JSON.parse(JSON.stringify(next)) as NumberMap<string>;
        assert.deepEqual(map, next);
      }
      const sorted = [...model].sort(([a], [b]) => a - b);
      assert.deepEqual([...entriesOf(map)], sorted);
      assert.deepEqual(
        [...keysOf(map)],
        sorted.map(([at]) => at),
      );
      assert.deepEqual(firstOf(map), sorted[0]);
      assert.equal(map.size, model.size);
    }),
  );
});
