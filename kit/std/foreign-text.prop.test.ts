import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { foreignInteger, foreignList, foreignName, foreignText, foreignTexts } from './foreign-text.ts';

const anything = fc.string({ unit: 'binary', maxLength: 300 });

test('text of others is printable and bounded, and what was fit to be shown stays as it is', () => {
  fc.assert(
    fc.property(anything, fc.integer({ min: 1, max: 200 }), (raw, longest) => {
      const text = foreignText(raw, longest);
      assert.ok(text.length <= longest + 40);
      assert.ok(text.isWellFormed());
      // oxlint-disable-next-line no-control-regex -- These must be gone.
      assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      assert.equal(foreignText(text, text.length), text);
    }),
  );
  assert.equal(
    foreignText('pods "web" är 3/5 bereit 🙂\n\tCrashLoopBackOff'),
    'pods "web" är 3/5 bereit 🙂\n\tCrashLoopBackOff',
  );
  assert.equal(foreignText('\u001b[31mred\u001b[0m\u0000'), '\ufffd[31mred\ufffd[0m\ufffd');
  assert.equal(foreignText('aaaa🙂', 5), 'aaaa… (6 characters)');
});

test('a list that is too long says how much is left out', () => {
  assert.deepEqual(foreignTexts(['a', 'b', 'ccc'], 2, 1), ['a', 'b', '… (1 more)']);
  assert.deepEqual(foreignTexts(['a', 'bb'], 2, 1), ['a', 'b… (2 characters)']);
});

for (const { why, read } of [
  { why: 'a name with a control character', read: () => foreignName('a\u0000') },
  { why: 'a name on two lines', read: () => foreignName('a\nb') },
  { why: 'a name that is too long', read: () => foreignName('a'.repeat(257)) },
  { why: 'a number beyond what is exact', read: () => foreignInteger(2n ** 53n) },
  { why: 'the largest of 64 bits', read: () => foreignInteger(2n ** 63n - 1n) },
  { why: 'the smallest of 64 bits', read: () => foreignInteger(-(2n ** 63n)) },
  { why: 'a number below the least', read: () => foreignInteger(0n, 1) },
  { why: 'a list that is too long', read: () => foreignList([1, 2], 1) },
]) {
  test(`${why} is refused`, () => assert.throws(read, RangeError));
}

test('what is within the bounds is taken', () => {
  assert.equal(foreignInteger(2n ** 53n - 1n), Number.MAX_SAFE_INTEGER);
  assert.equal(foreignName('sha256:00ff'), 'sha256:00ff');
  assert.deepEqual(foreignList([1], 1), [1]);
});
