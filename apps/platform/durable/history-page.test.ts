import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryEntry } from '#kit/durable';
import { historyPage } from './history-page.ts';

function entries(count: number, result: string): HistoryEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    kind: 'activity',
    step: index + 1,
    name: 'work',
    result,
    time: 1_000 + index,
  }));
}

function stepsOf({ items }: { items: readonly HistoryEntry[] }): number[] {
  return items.map(({ step }) => step);
}

test('page after page is the history, each entry once', () => {
  const history = entries(5, 'x');
  const first = historyPage(history, { after: undefined, pageSize: 2 });
  const second = historyPage(history, { after: first.next, pageSize: 2 });
  const third = historyPage(history, { after: second.next, pageSize: 2 });
  assert.deepEqual([first, second, third].map(stepsOf), [[1, 2], [3, 4], [5]]);
  assert.equal(third.next, undefined);
});

test('a page that is just full and the last has no next', () => {
  assert.equal(historyPage(entries(2, 'x'), { after: undefined, pageSize: 2 }).next, undefined);
});

test('what grew meanwhile comes on the next page', () => {
  const first = historyPage(entries(3, 'x'), { after: undefined, pageSize: 2 });
  assert.deepEqual(stepsOf(historyPage(entries(5, 'x'), { after: first.next, pageSize: 9 })), [3, 4, 5]);
});

test('large payloads make a page short, but never empty', () => {
  const mebibyte = 'x'.repeat(1024 * 1024);
  assert.deepEqual(stepsOf(historyPage(entries(20, mebibyte), { after: undefined, pageSize: 20 })), [1, 2, 3, 4]);
  const [huge] = entries(1, mebibyte.repeat(5));
  assert.ok(huge);
  assert.deepEqual(stepsOf(historyPage([huge, huge], { after: undefined, pageSize: 20 })), [1]);
});

test('a place in the history of another run is told apart', () => {
  const { next } = historyPage(entries(3, 'x'), { after: undefined, pageSize: 2 });
  const later = entries(3, 'x').map((entry) => ({ ...entry, time: entry.time + 60_000 }));
  for (const history of [later, []]) {
    assert.throws(() => historyPage(history, { after: next, pageSize: 2 }), { code: 'INVALID_PAGE_TOKEN' });
  }
});
