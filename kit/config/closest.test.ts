import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closest } from './closest.ts';

const WORDS = ['serve', 'version', 'help', 'tls-listen', 'listen'];

for (const { why, word, want } of [
  { why: 'a letter left out', word: 'srve', want: 'serve' },
  { why: 'two letters swapped', word: 'hlep', want: 'help' },
  { why: 'another case', word: 'Versoin', want: 'version' },
  { why: 'the nearest of several', word: 'tls-lisen', want: 'tls-listen' },
  { why: 'too far from everything', word: 'deploy', want: undefined },
  { why: 'short words need to be very near', word: 'x', want: undefined },
  { why: 'the word itself is no suggestion', word: 'help', want: undefined },
  { why: 'nothing', word: '', want: undefined },
]) {
  test(why, () => assert.equal(closest(word, WORDS), want));
}
