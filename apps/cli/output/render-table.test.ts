import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderTable } from './render-table.ts';

for (const { why, headings, rows, want } of [
  { why: 'no rows', headings: ['A', 'B'], rows: [], want: 'A  B\n' },
  {
    why: 'columns are as wide as they have to be, and nothing trails',
    headings: ['ID', 'STATUS', 'NOTE'],
    rows: [
      ['a', 'running', ''],
      ['a-long-one', 'ok', 'x'],
    ],
    want: 'ID          STATUS   NOTE\na           running\na-long-one  ok       x\n',
  },
  {
    why: 'a character outside the basic plane is one',
    headings: ['A', 'B'],
    rows: [['🗼', 'x']],
    want: 'A  B\n🗼  x\n',
  },
  {
    why: 'a cell has one line, and commands nobody',
    headings: ['A', 'B'],
    rows: [['a\nb\u001b[2J', 'x']],
    want: 'A        B\na b [2J  x\n',
  },
]) {
  test(why, () => assert.equal(renderTable(headings, rows), want));
}
