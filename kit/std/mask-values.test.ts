import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskValues, textsIn } from './mask-values.ts';

const KEY = 'a-very-long-secret-that-is-cut-somewhere-in-the-middle';

for (const { why, values, text, want } of [
  { why: 'a value', values: ['hunter2'], text: 'bad hunter2!', want: 'bad [redacted]!' },
  { why: 'a value that stands twice', values: ['hunter2'], text: 'hunter2 hunter2', want: '[redacted] [redacted]' },
  { why: 'a line of several', values: ['a=1\npassword=hunter2\n'], text: '- password=hunter2', want: '- [redacted]' },
  { why: 'an indented line', values: ['a:\n  pass: hunter2\n'], text: '+   pass: hunter2', want: '+   [redacted]' },
  { why: 'a value as JSON', values: ['say "hunter2"'], text: '{"x":"say \\"hunter2\\""}', want: '{"x":"[redacted]"}' },
  { why: 'what a value encodes', values: [btoa('hunter2')], text: 'is hunter2', want: 'is [redacted]' },
  { why: 'an encoded value', values: ['hunter2'], text: `is ${btoa('hunter2')}`, want: 'is [redacted]==' },
  { why: 'the beginning of a long one', values: [KEY], text: `${KEY.slice(0, 30)}…`, want: '[redacted]…' },
  { why: 'the longer of two', values: ['hunter', 'hunter2'], text: 'hunter2', want: '[redacted]' },
  { why: 'nothing in a text without it', values: ['hunter2', KEY], text: 'a-very-long', want: 'a-very-long' },
  { why: 'nothing for what chance would find', values: ['1', 'on', ''], text: 'line 1 is on', want: 'line 1 is on' },
]) {
  test(`masks ${why}`, () => {
    assert.equal(maskValues(values)(text), want);
  });
}

test('texts and numbers are found at any depth, truths are not', () => {
  assert.deepEqual(textsIn({ a: ['one', { b: 12345, c: true, d: null }] }), ['one', '12345']);
});

test('another word can stand in the place', () => {
  assert.equal(maskValues(['hunter2'], '(hidden)')('is hunter2'), 'is (hidden)');
});

test('a text of a megabyte with a thousand values is done', () => {
  const mask = maskValues(Array.from({ length: 1_000 }, (_, index) => `secret-number-${index}`));
  assert.equal(mask('secret-number-'.repeat(10_000)).includes('[redacted]'), false);
});
