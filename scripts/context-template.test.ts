import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { type PlantedHouse, plantHouse } from '../testing/gates/planted-house.ts';
import { contextFiles } from './context-template.ts';
import { GATES } from './gates.ts';
import { findFiles, ROOT } from './repository.ts';

const TESTS = { name: 'tests', command: ['node', '--test'] };
const FORMAT = { name: 'format', command: ['biome', 'check', '--write', 'contexts'] };

describe('a new context', () => {
  it('has the rooms of every context', () => {
    const rooms = new Set(Object.keys(contextFiles('example')).map((path) => path.replace(/\/.*/, '')));
    assert.deepEqual([...rooms].toSorted(), ['README.md', 'adapters', 'application', 'domain', 'index.ts', 'testing']);
  });

  it('has tests that pass', async (test) => {
    const house = await houseWith(test, 'management-fleet');
    const { code, output } = await house.run(TESTS, 'contexts/**/*.test.ts');
    assert.equal(code, 0, output);
    assert.match(output, /pass 4\b/);
  });

  for (const gate of [GATES.format, GATES.lint, GATES.types, GATES.arrows]) {
    it(`passes the gate ${gate.name}`, async (test) => {
      const house = await houseWith(test, 'management-fleet');
      await house.run(FORMAT);
      const { output } = await house.run(gate);
      assert.doesNotMatch(output, /contexts\//);
    });
  }
});

/** A repository that contains only the context and its imports. */
async function houseWith(test: TestContext, name: string): Promise<PlantedHouse> {
  const std = (await findFiles('kit/std/**/*.ts')).filter((file) => !file.endsWith('.test.ts'));
  const imported = [...std, 'testing/catalogue-drift.ts'];
  const context = Object.entries(contextFiles(name)).map(([path, content]) => [`contexts/${name}/${path}`, content]);
  const files = imported.map((path) => [path, readFileSync(`${ROOT}/${path}`, 'utf8')]);
  return await plantHouse(test, Object.fromEntries([...files, ...context]) as Record<string, string>);
}
