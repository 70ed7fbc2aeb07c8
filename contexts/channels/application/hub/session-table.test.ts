import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { sha256 } from '../../testing/accepting-end.ts';
import type { FleetletSession } from './fleetlet-session.ts';
import { SessionTable } from './session-table.ts';

function aTable({ maxCut = 10 } = {}) {
  const clock = new FakeClock(0);
  const gate = { take: () => {} };
  const limits = { channelsPerSession: 4, memoryMs: 100, maxCut };
  const table = new SessionTable({ newId: () => 'id', clock, sha256, gate, ...limits });
  const found = (fleetlet: string, id: string): FleetletSession => {
    const result = table.find(fleetlet, id);
    assert.equal(result.kind, 'session');
    if (result.kind !== 'session') throw new Error('it is one');
    return result.session;
  };
  return { clock, table, found };
}

test('the same process finds the session that it had, and the next one takes its place', () => {
  const { table, found } = aTable();
  const first = found('f1', 'a');
  assert.equal(found('f1', 'a'), first);
  const next = table.find('f1', 'b');
  assert.equal(next.kind === 'session' && next.replaced, first);
  assert.deepEqual(
    table.all().map(({ id }) => id),
    ['b'],
  );
});

test('one whose place was taken gets it back only once the other is gone', () => {
  const { table, found } = aTable();
  found('f1', 'a');
  const next = found('f1', 'b');
  next.cutAt = undefined;
  assert.equal(table.find('f1', 'a').kind, 'superseded');
  next.cutAt = 5;
  assert.equal(table.find('f1', 'a').kind, 'session');
});

test('those that are away for too long are forgotten, and those that are there never', () => {
  const { clock, table, found } = aTable();
  const [live, cut] = [found('f1', 'a'), found('f2', 'b')];
  live.cutAt = undefined;
  clock.set(99);
  assert.deepEqual(table.sweep(99), []);
  assert.deepEqual(table.sweep(100), [cut]);
  assert.deepEqual(table.all(), [live]);
});

test('when too many are away the oldest are forgotten', () => {
  const { table, found } = aTable({ maxCut: 2 });
  for (const [name, at] of [
    ['f1', 3],
    ['f2', 1],
    ['f3', 2],
  ] as const)
    found(name, 's').cutAt = at;
  assert.deepEqual(
    table.sweep(4).map(({ fleetlet }) => fleetlet),
    ['f2'],
  );
});
