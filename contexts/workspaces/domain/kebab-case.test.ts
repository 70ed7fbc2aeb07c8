import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kebabCaseFaults } from './kebab-case.ts';

describe('kebab-case', () => {
  for (const text of [undefined, 'a', '0', 'eu-central-1', 'a'.repeat(63)]) {
    it(`is ${text}`, () => assert.deepEqual(kebabCaseFaults('/slug', text), []));
  }

  for (const text of ['', '-a', 'a-', 'a--b', 'A', 'a_b', 'a b', 'a\n', 'é', 'a'.repeat(64)]) {
    it(`is not ${JSON.stringify(text)}`, () =>
      assert.deepEqual(
        kebabCaseFaults('/slug', text).map(({ path }) => path),
        ['/slug'],
      ));
  }
});
