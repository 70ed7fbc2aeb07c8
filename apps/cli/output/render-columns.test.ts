import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UsageError } from '../command.ts';
import { renderCustomColumns, sortedBy } from './render-columns.ts';

const ITEMS = [
  { name: 'b', generation: 10, labels: { stage: 'canary' } },
  { name: 'a', generation: 9, labels: {} },
  { name: 'c', labels: { stage: 'a' } },
];
const namesBy = (path: string) => sortedBy(path, ITEMS).map(({ name }) => name);

describe('columns and order that the caller names', () => {
  it('are a table, with <none> where there is nothing', () => {
    const table = renderCustomColumns('NAME:.name,STAGE:{.labels.stage}', ITEMS, true);
    assert.equal(table, 'NAME  STAGE\nb     canary\na     <none>\nc     a\n');
    assert.equal(renderCustomColumns('N:.name', ITEMS, false), 'b\na\nc\n');
  });

  it('sort numbers as numbers and texts as texts, and those without first', () => {
    assert.deepEqual(namesBy('.name'), ['a', 'b', 'c']);
    assert.deepEqual(namesBy('{.generation}'), ['c', 'a', 'b']);
    assert.deepEqual(namesBy('.labels.stage'), ['a', 'c', 'b']);
  });

  it('are refused if they cannot be meant', () => {
    assert.throws(() => renderCustomColumns('NAME', ITEMS, true), UsageError);
    assert.throws(() => namesBy('.nmae'), UsageError);
    assert.deepEqual(sortedBy('.nmae', []), []);
  });
});
