import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isKeptApart, refusalOf } from './kept-apart.ts';

suite('whether two controllers are kept apart', () => {
  for (const { why, ours, theirs, want } of [
    { why: 'both look after all', ours: {}, theirs: {}, want: false },
    { why: 'different namespaces', ours: { namespace: 'a' }, theirs: { namespace: 'b' }, want: true },
    { why: 'the same namespace', ours: { namespace: 'a' }, theirs: { namespace: 'a' }, want: false },
    { why: 'theirs looks after all namespaces', ours: { namespace: 'a' }, theirs: {}, want: false },
    { why: 'ours looks after all namespaces', ours: {}, theirs: { namespace: 'a' }, want: false },
    { why: 'different filters', ours: { watchFilter: 'a' }, theirs: { watchFilter: 'b' }, want: true },
    { why: 'theirs takes what carries a label too', ours: { watchFilter: 'a' }, theirs: {}, want: false },
    {
      why: 'the same namespace, but different filters',
      ours: { namespace: 'n', watchFilter: 'a' },
      theirs: { namespace: 'n', watchFilter: 'b' },
      want: true,
    },
    { why: 'its flags cannot be seen, and ours say nothing', ours: {}, theirs: undefined, want: false },
    { why: 'its flags cannot be seen: the word of ours', ours: { namespace: 'a' }, theirs: undefined, want: true },
  ]) {
    test(why, () => assert.equal(isKeptApart(ours, { found: 'x', scope: theirs }), want));
  }

  test('what is said is what is to be done', () => {
    const words = refusalOf({ found: 'Deployment capi-system/x', scope: {}, stop: 'kubectl scale it' });
    for (const part of ['Deployment capi-system/x', 'kubectl scale it', '--namespace=', '--watch-filter=']) {
      assert.ok(words.includes(part), part);
    }
  });
});
