import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderBar } from './render-bar.ts';

for (const { why, shares, want } of [
  { why: 'nothing has begun', shares: { done: 0, underWay: 0, failed: 0, of: 4 }, want: '[..........]' },
  { why: 'some of each', shares: { done: 5, underWay: 2, failed: 1, of: 10 }, want: '[#####>>x..]' },
  { why: 'all is done', shares: { done: 3, underWay: 0, failed: 0, of: 3 }, want: '[##########]' },
  { why: 'one of many is missing', shares: { done: 999, underWay: 0, failed: 0, of: 1000 }, want: '[#########.]' },
  { why: 'all but one that failed', shares: { done: 999, underWay: 0, failed: 1, of: 1000 }, want: '[#########x]' },
  { why: 'more than there were', shares: { done: 5, underWay: 1, failed: 0, of: 5 }, want: '[##########]' },
]) {
  test(why, () => assert.equal(renderBar(shares, 10), want));
}
