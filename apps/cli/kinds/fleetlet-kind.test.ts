import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fleetletKind } from './fleetlet-kind.ts';

const cellOf = (targets: readonly string[]): unknown =>
  fleetletKind.columns.find(({ heading }) => heading === 'TARGETS')?.cell({ targets });

for (const { targets, shown } of [
  { targets: [], shown: '-' },
  { targets: ['a', 'b', 'c'], shown: 'a,b,c' },
  { targets: ['a', 'b', 'c', 'd', 'e'], shown: 'a,b,c and 2 more' },
]) {
  test(`of ${targets.length} targets the table shows ${shown}`, () => assert.equal(cellOf(targets), shown));
}
