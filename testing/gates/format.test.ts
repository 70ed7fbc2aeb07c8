import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GATES } from '../../scripts/gates.ts';
import { plantHouse } from './planted-house.ts';

const PLANTS = [
  { why: 'double quotes', path: 'kit/planted/quotes.ts', source: 'export const name = "x";\n' },
  { why: 'no semicolon', path: 'kit/planted/semicolon.ts', source: "export const name = 'x'\n" },
  { why: 'four spaces', path: 'kit/planted/indent.ts', source: "export function name() {\n    return 'x';\n}\n" },
  {
    why: 'imports out of order',
    path: 'kit/planted/imports.ts',
    source: "import { sep } from 'node:path';\nimport { EOL } from 'node:os';\n\nexport const both = sep + EOL;\n",
  },
  { why: 'not only TypeScript', path: 'kit/planted/data.json', source: '{"a":1}\n' },
];

describe('the format gate', () => {
  for (const { why, path, source } of PLANTS) {
    it(`is closed by ${why}`, async (test) => {
      const house = await plantHouse(test, { [path]: source });
      const { code, output } = await house.run(GATES.format);
      assert.equal(code, 1);
      assert.ok(output.includes(path), output);
    });
  }

  it('lets a clean house through', async (test) => {
    const house = await plantHouse(test, { 'kit/planted/clean.ts': "export const name = 'x';\n" });
    const { code, output } = await house.run(GATES.format);
    assert.equal(code, 0, output);
  });
});
