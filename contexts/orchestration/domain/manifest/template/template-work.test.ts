import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { growthRatio } from '#testing/cpu-ratio';
import { generateTemplate } from '../testing/a-template.ts';

describe('templates', () => {
  for (const { why, text } of [
    { why: 'expressions in a text', text: (n: number) => '${target.name} '.repeat(n) },
    { why: 'faulty expressions in a text', text: (n: number) => '${valeus.x}\n'.repeat(n) },
    { why: 'escapes', text: (n: number) => '$${'.repeat(n) },
    { why: 'a long text in quotes', text: (n: number) => `\${"${'\\\\n'.repeat(n)}"}` },
    { why: 'quotes that do not end', text: (n: number) => `\${"${'\\\\'.repeat(n)}` },
    { why: 'spaces', text: (n: number) => `\${${' '.repeat(10 * n)}target.name}` },
    { why: 'digits', text: (n: number) => `\${${'1'.repeat(10 * n)}}` },
  ]) {
    it(`take work that grows with the text: ${why}`, () => {
      const ratio = growthRatio((n) => void generateTemplate({ documents: [{ a: text(n) }] }), 500);
      assert.ok(ratio < 9, `four times the text took ${ratio} times the work`);
    });
  }

  for (const call of ['contains(values.a, values.b)', 'split(values.a, values.b)', 'replace(values.a, values.b, "")']) {
    it(`pay for a search of a long text in a long one: ${call}`, () => {
      const half = 'a'.repeat(50_000);
      const values = { a: half.repeat(4), b: `${half}b${half}` };
      const result = generateTemplate({ documents: [{ a: `\${json(${call})}` }], values });
      assert.ok(result.kind === 'failed');
      assert.match(result.faults[0]?.message ?? '', /too many steps/);
    });
  }
});
