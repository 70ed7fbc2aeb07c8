import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GATES } from '../../scripts/gates.ts';
import { plantHouse } from './planted-house.ts';

/** One for each option of tsconfig.json that is not part of `strict`, and two for `strict`. */
const PLANTS = [
  {
    option: 'strict',
    source: 'export function length(text: string | undefined): number {\n  return text.length;\n}\n',
    error: 'TS18048',
  },
  {
    option: 'noUncheckedIndexedAccess',
    source: 'export function first(list: string[]): string {\n  return list[0];\n}\n',
    error: 'TS2322',
  },
  {
    option: 'exactOptionalPropertyTypes',
    source: 'export const options: { name?: string } = { name: undefined };\n',
    error: 'TS2375',
  },
  {
    option: 'noImplicitOverride',
    source: 'class Base {\n  run() {}\n}\nexport class Derived extends Base {\n  run() {}\n}\n',
    error: 'TS4114',
  },
  {
    option: 'noFallthroughCasesInSwitch',
    source:
      'export function add(n: number): number {\n  let sum = 0;\n  switch (n) {\n    case 1:\n      sum += 1;\n    case 2:\n      sum += 2;\n  }\n  return sum;\n}\n',
    error: 'TS7029',
  },
  {
    option: 'noImplicitReturns',
    source: 'export function sign(n: number): number | undefined {\n  if (n > 0) return 1;\n}\n',
    error: 'TS7030',
  },
  {
    option: 'verbatimModuleSyntax',
    source: "import { PathLike } from 'node:fs';\nexport type Place = PathLike;\n",
    error: 'TS1484',
  },
  {
    option: 'erasableSyntaxOnly, without which Node refuses to start the file',
    source: 'export enum Light {\n  Red,\n}\n',
    error: 'TS1294',
  },
  {
    option: 'strict, for parameters without a type',
    source: 'export function same(value) {\n  return value;\n}\n',
    error: 'TS7006',
  },
];

describe('the type gate', () => {
  it('reports what each option is there for, in every room', async (test) => {
    const rooms = ['apps', 'bench', 'contexts', 'e2e', 'kit', 'protocol', 'scripts', 'testing', 'runtime'];
    const planted = PLANTS.map(({ source }, index) => [`${rooms[index]}/planted/plant-${index}.ts`, source] as const);
    const house = await plantHouse(test, Object.fromEntries(planted));
    const { code, output } = await house.run(GATES.types, '--pretty', 'false');
    assert.notEqual(code, 0);
    const reported = [...output.matchAll(/plant-(\d+)\.ts\(.*?\): error (TS\d+)/g)];
    assert.deepEqual(
      reported.map(([, index, error]) => `${PLANTS[Number(index)]?.option}: ${error}`).toSorted(),
      PLANTS.map(({ option, error }) => `${option}: ${error}`).toSorted(),
    );
  });

  it('lets a clean house through', async (test) => {
    const house = await plantHouse(test, { 'kit/planted/clean.ts': "export const name = 'x';\n" });
    const { code, output } = await house.run(GATES.types);
    assert.equal(code, 0, output);
  });
});
