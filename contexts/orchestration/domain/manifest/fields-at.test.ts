import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fieldsAt } from './fields-at.ts';

it('returns the values that exist at the pointers, escaped names and items of lists included', () => {
  const value = { labels: { 'a/b': '1', 'c~d': '2' }, list: [{ x: null }], constructor: 3 };
  const pointers = ['/labels/a~1b', '/labels/c~0d', '/labels/none', '/list/0/x', '/list/1', '/toString'];
  assert.deepEqual(fieldsAt(value, pointers), { '/labels/a~1b': '1', '/labels/c~0d': '2', '/list/0/x': null });
  assert.deepEqual(fieldsAt(value, ['']), { '': value });
});
