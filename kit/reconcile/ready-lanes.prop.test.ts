import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cpuRatio } from '#testing/cpu-ratio';
import { PRIORITIES, type Priority, ReadyLanes } from './ready-lanes.ts';

const priority = fc.constantFrom(...PRIORITIES);
const LONGEST_WAIT = 10;

test('a lane is first in, first out, and one that holds something is served at the tenth take at the latest', () => {
  const step = fc.oneof(
    { arbitrary: fc.record({ add: priority }), weight: 3 },
    { arbitrary: fc.constant('take' as const), weight: 2 },
    { arbitrary: fc.record({ remove: fc.nat() }), weight: 1 },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const lanes = new ReadyLanes<number>();
      const model = new Map<Priority, number[]>(PRIORITIES.map((it) => [it, []]));
      const waits = new Map<Priority, number>();
      steps.forEach((it, number) => {
        if (it === 'take') {
          const taken = lanes.take();
          for (const [lane, items] of model) {
            const served = taken !== undefined && items[0] === taken;
            waits.set(lane, served || items.length === 0 ? 0 : (waits.get(lane) ?? 0) + 1);
            assert.ok((waits.get(lane) ?? 0) < LONGEST_WAIT, `${lane} starves`);
            if (served) items.shift();
          }
          return;
        }
        if ('add' in it) {
          lanes.add(number, it.add);
          model.get(it.add)?.push(number);
          return;
        }
        const all = [...model].flatMap(([lane, items]) => items.map((item) => ({ lane, item })));
        const gone = all[it.remove % all.length];
        if (!gone) return;
        lanes.remove(gone.item, gone.lane);
        model.set(gone.lane, model.get(gone.lane)?.filter((item) => item !== gone.item) ?? []);
      });
      for (const [lane, items] of model) assert.equal(lanes.size(lane), items.length);
      const left: number[] = [];
      for (let item = lanes.take(); item !== undefined; item = lanes.take()) left.push(item);
      assert.equal(left.length, [...model.values()].flat().length);
    }),
  );
});

test('the higher lane goes first', () => {
  const lanes = new ReadyLanes<string>();
  for (const lane of PRIORITIES.toReversed()) lanes.add(lane, lane);
  assert.deepEqual([lanes.take(), lanes.take(), lanes.take(), lanes.take()], [...PRIORITIES, undefined]);
});

test('taking from a long lane costs the same at its end as at its beginning', () => {
  const items = Array.from({ length: 300_000 }, (_, item) => item);
  const lanes = new ReadyLanes<number>();
  for (const item of items) lanes.add(item, 'normal');
  const bare = new Set(items);
  const ratio = cpuRatio(
    () => items.forEach(() => lanes.take()),
    () => bare.forEach((item) => bare.delete(item)),
  );
  // Walking over the emptied slots would take hundreds of times as long.
  assert.ok(ratio < 50, `${ratio} times a loop over a Set`);
});
