import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from './sql.ts';

const text = (statement: { parts: readonly string[] }): string => statement.parts.join('?');

describe('the sql tag', () => {
  it('keeps values beside the text', () => {
    const statement = sql`SELECT * FROM t WHERE a = ${"'; DROP TABLE t"} AND b = ${2}`;
    assert.equal(text(statement), 'SELECT * FROM t WHERE a = ? AND b = ?');
    assert.deepEqual(statement.values, ["'; DROP TABLE t", 2]);
  });

  it('gives the same parts at every call of one place, so that texts are put together once', () => {
    const make = (value: number) => sql`SELECT ${value}`;
    assert.equal(make(1).parts, make(2).parts);
  });

  it('joins pieces and keeps the order of their values', () => {
    const inner = sql`b = ${2} OR c = ${3}`;
    const statement = sql`SELECT ${1} WHERE (${inner}) AND d = ${4} ${sql.raw('LIMIT 1')}`;
    assert.equal(text(statement), 'SELECT ? WHERE (b = ? OR c = ?) AND d = ? LIMIT 1');
    assert.deepEqual(statement.values, [1, 2, 3, 4]);
  });

  it('makes lists, and a valid one of nothing', () => {
    assert.equal(text(sql`a IN (${sql.list([1, 2, 3])})`), 'a IN (?, ?, ?)');
    assert.equal(text(sql`a IN (${sql.list([])})`), 'a IN (NULL)');
    const rows = sql.list([sql`(${1}, ${'a'})`, sql`(${2}, ${'b'})`]);
    assert.equal(text(sql`VALUES ${rows}`), 'VALUES (?, ?), (?, ?)');
    assert.deepEqual(rows.values, [1, 'a', 2, 'b']);
  });

  it('stores truth as 0 and 1', () => {
    assert.deepEqual(sql`${true}, ${false}`.values, [1, 0]);
  });

  for (const { why, value } of [
    { why: 'undefined is a forgotten field', value: undefined },
    { why: 'not a number', value: Number.NaN },
    { why: 'no column holds infinity', value: Number.POSITIVE_INFINITY },
  ]) {
    it(`refuses what no column can hold: ${why}`, () => {
      // A caller that bypasses the types, as external data can.
      assert.throws(() => sql`${value as unknown as string}`, TypeError);
    });
  }
});
