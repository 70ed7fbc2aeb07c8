import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { growthRatio } from '#testing/cpu-ratio';
import { parseJson } from './parse-json.ts';

describe('bodies in JSON', () => {
  for (const { why, text } of [
    { why: 'a list', text: (n: number) => `[${'1,'.repeat(n)}1]` },
    { why: 'lists side by side', text: (n: number) => `[${'[[]],'.repeat(n)}1]` },
    { why: 'fields', text: (n: number) => `{${Array.from({ length: n }, (_, at) => `"k${at}":1`).join()}}` },
    { why: 'texts with escapes', text: (n: number) => `["${'\\u0041\\"'.repeat(n)}"]` },
  ]) {
    it(`take work that grows with the text: ${why}`, () => {
      const ratio = growthRatio((n) => void parseJson(Buffer.from(text(n))), 5_000);
      assert.ok(ratio < 9, `four times the text took ${ratio} times the work`);
    });
  }
});
