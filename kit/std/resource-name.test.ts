import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseResourceName, RESOURCE_NAME_MAX_LENGTH, RESOURCE_NAME_PATTERN } from './resource-name.ts';
import { StdError } from './std-error.ts';

for (const { why, raw } of [
  { why: 'one letter is enough', raw: 'a' },
  { why: 'a digit may begin', raw: '7-up' },
  { why: 'hyphens may follow each other', raw: 'a--b' },
  { why: 'as long as a DNS label', raw: 'a'.repeat(63) },
]) {
  test(`accepted: ${why}`, () => assert.equal(parseResourceName(raw), raw));
}

for (const { why, raw } of [
  { why: 'empty', raw: '' },
  { why: 'longer than a DNS label', raw: 'a'.repeat(64) },
  { why: 'upper case', raw: 'Web' },
  { why: 'a hyphen first', raw: '-web' },
  { why: 'a hyphen last', raw: 'web-' },
  { why: 'a dot', raw: 'web.example' },
  { why: 'a letter that is not ASCII', raw: 'café' },
  { why: 'a line break at the end', raw: 'web\n' },
]) {
  test(`refused: ${why}`, () => {
    assert.throws(
      () => parseResourceName(raw),
      (error) => error instanceof StdError && error.code === 'INVALID_NAME',
    );
  });
}

test('a schema with the exported pattern and length accepts the same names', () => {
  const nearlyNames = fc.string({ unit: fc.constantFrom('a', 'z', '0', '-', 'A', '.', '\n'), maxLength: 70 });
  fc.assert(
    fc.property(nearlyNames, (raw) => {
      const bySchema = new RegExp(RESOURCE_NAME_PATTERN, 'u').test(raw) && raw.length <= RESOURCE_NAME_MAX_LENGTH;
      let byParser = true;
      try {
        parseResourceName(raw);
      } catch {
        byParser = false;
      }
      assert.equal(byParser, bySchema);
    }),
  );
});

test('a name of a megabyte is quoted in part', () => {
  assert.throws(
    () => parseResourceName('A'.repeat(1_000_000)),
    (error) => error instanceof StdError && error.message.length < 300,
  );
});
