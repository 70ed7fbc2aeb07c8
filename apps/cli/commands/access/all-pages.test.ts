import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allPages } from './all-pages.ts';

test('a page that is empty is not the end', async () => {
  const pages = [{ items: ['a', 'b'], nextPageToken: 'two' }, { items: [], nextPageToken: 'three' }, { items: ['c'] }];
  const asked: unknown[] = [];
  const all = await allPages(async (which) => {
    asked.push(which.pageToken);
    return pages[asked.length - 1] ?? assert.fail('there are no more');
  });
  assert.deepEqual(all, ['a', 'b', 'c']);
  assert.deepEqual(asked, [undefined, 'two', 'three']);
});
