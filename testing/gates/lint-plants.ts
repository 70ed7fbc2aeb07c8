export interface LintPlant {
  readonly why: string;
  readonly path: string;
  readonly source: string;
  /** The only rule that the linter must report for this file. */
  readonly rule: string;
}

export const LINT_PLANTS: readonly LintPlant[] = [
  {
    why: 'a promise of ours that nobody awaits',
    path: inKit('floating'),
    source: 'async function work(): Promise<void> {} export function start(): void { work(); }',
    rule: 'typescript/no-floating-promises',
  },
  {
    why: 'a promise of node: that nobody awaits',
    path: inKit('floating-node'),
    source: "import { rm } from 'node:fs/promises'; export function clear(): void { rm('x'); }",
    rule: 'typescript/no-floating-promises',
  },
  {
    why: 'a promise that is thrown away aloud floats all the same',
    path: inKit('floating-void'),
    source: "import { rm } from 'node:fs/promises'; export function clear(): void { void rm('x'); }",
    rule: 'typescript/no-floating-promises',
  },
  {
    why: 'a floating promise inside a test, where the registration itself is let through',
    path: 'kit/planted/floating.test.ts',
    source: "import { rm } from 'node:fs/promises'; import { test } from 'node:test'; test('x', () => { rm('x'); });",
    rule: 'typescript/no-floating-promises',
  },
  {
    why: 'an async function where nobody looks at what it returns',
    path: inKit('misused'),
    source:
      "import { rm } from 'node:fs/promises'; export function clear(names: string[]): void { names.forEach(async (name) => { await rm(name); }); }",
    rule: 'typescript/no-misused-promises',
  },
  {
    why: 'a promise as a condition is always true',
    path: inKit('misused-condition'),
    source: 'export async function busy(isBusy: () => Promise<boolean>): Promise<number> { return isBusy() ? 1 : 0; }',
    rule: 'typescript/no-misused-promises',
  },
  {
    why: 'a switch that forgot a case',
    path: inKit('switch'),
    source:
      "export function paint(light: 'red' | 'green'): string { switch (light) { case 'red': return '#f00'; } return ''; }",
    rule: 'typescript/switch-exhaustiveness-check',
  },
  {
    why: 'a default does not stand in for the forgotten case',
    path: inKit('switch-default'),
    source:
      "export function paint(light: 'red' | 'green'): string { switch (light) { case 'red': return '#f00'; default: return ''; } }",
    rule: 'typescript/switch-exhaustiveness-check',
  },
  {
    why: 'awaiting what is no promise',
    path: inKit('await'),
    source: 'export async function wait(n: number): Promise<void> { await n; }',
    rule: 'typescript/await-thenable',
  },
  {
    why: 'a promise that leaves the try before it is settled',
    path: inKit('return-await'),
    source:
      "import { readFile } from 'node:fs/promises'; export async function read(): Promise<string> { try { return readFile('x', 'utf8'); } catch { return ''; } }",
    rule: 'typescript/return-await',
  },
  {
    why: 'a rejection with a mere string',
    path: inKit('reject'),
    source: "export function refuse(): Promise<never> { return Promise.reject('no'); }",
    rule: 'typescript/prefer-promise-reject-errors',
  },
  {
    why: 'the reason of a rejection is anything',
    path: inKit('catch-variable'),
    source:
      'export function tell(promise: Promise<number>): Promise<unknown> { return promise.catch((error) => error instanceof Error); }',
    rule: 'typescript/use-unknown-in-catch-callback-variable',
  },
  {
    why: 'any',
    path: inKit('any'),
    source: 'export function pass(value: any): unknown { return value; }',
    rule: 'typescript/no-explicit-any',
  },
  {
    why: 'what JSON.parse returns goes on unparsed as an argument',
    path: inKit('unsafe-argument'),
    source: "export function encode(): string { return encodeURIComponent(JSON.parse('{}')); }",
    rule: 'typescript/no-unsafe-argument',
  },
  {
    why: '... in a variable',
    path: inKit('unsafe-assignment'),
    source: "export function size(): number { const value = JSON.parse('{}'); return [value].length; }",
    rule: 'typescript/no-unsafe-assignment',
  },
  {
    why: '... as a function',
    path: inKit('unsafe-call'),
    source: "export function call(): void { JSON.parse('{}')(); }",
    rule: 'typescript/no-unsafe-call',
  },
  {
    why: '... by a property',
    path: inKit('unsafe-member'),
    source: "export function size(): unknown { return JSON.parse('{}').size as unknown; }",
    rule: 'typescript/no-unsafe-member-access',
  },
  {
    why: '... as a result',
    path: inKit('unsafe-return'),
    source: "export function size(): number { return JSON.parse('{}'); }",
    rule: 'typescript/no-unsafe-return',
  },
  {
    why: 'a promise to the compiler that nobody checks',
    path: inKit('non-null'),
    source: 'export function first(list: readonly string[]): string { return list[0]!; }',
    rule: 'typescript/no-non-null-assertion',
  },
  {
    why: 'an assertion that says nothing new',
    path: inKit('assertion'),
    source: 'export function same(text: string): string { return text as string; }',
    rule: 'typescript/no-unnecessary-type-assertion',
  },
  {
    why: 'a silenced compiler without a reason',
    path: inKit('ts-comment'),
    source: '// @ts-expect-error\nexport const wrong: string = 1;\n',
    rule: 'typescript/ban-ts-comment',
  },
  {
    why: 'a wrapped error that lost its cause',
    path: inKit('cause'),
    source:
      'export function parse(text: string): unknown { try { return JSON.parse(text) as unknown; } catch (error) { throw new Error(`parse ${text}: ${String(error)}`); } }',
    rule: 'preserve-caught-error',
  },
  {
    why: 'something thrown that is no error',
    path: inKit('throw'),
    source: "export function stop(): never { throw 'stop'; }",
    rule: 'typescript/only-throw-error',
  },
  { why: 'a default export', path: inKit('default'), source: 'export default 1;', rule: 'import/no-default-export' },
  {
    why: 'an import that leaves a side effect behind when its types are erased',
    path: inKit('type-import'),
    source: "import { type Stats } from 'node:fs'; export type Size = Stats['size'];",
    rule: 'typescript/no-import-type-side-effects',
  },
  {
    why: 'require',
    path: inKit('require'),
    source: "import fs = require('node:fs'); export const size = fs.constants.F_OK;",
    rule: 'typescript/no-require-imports',
  },
  {
    why: 'a file that is not in kebab-case',
    path: inKit('camelCase'),
    source: 'export const one = 1;',
    rule: 'unicorn/filename-case',
  },
  {
    why: 'a module of Node that is not called one',
    path: inKit('node-protocol'),
    source: "import { sep } from 'path'; export const separator = sep;",
    rule: 'unicorn/prefer-node-protocol',
  },
  {
    why: 'what its author asks not to use any more',
    path: inKit('deprecated'),
    source: '/** @deprecated use two */\nconst one = 1;\nexport const three = one + 2;\n',
    rule: 'typescript/no-deprecated',
  },
  {
    why: 'a suppression that names no rule',
    path: inKit('abusive'),
    source: '// oxlint-disable-next-line\nexport const one = 1 == (1 as number);\n',
    rule: 'unicorn/no-abusive-eslint-disable',
  },
  {
    why: 'the console instead of a logger',
    path: inKit('console'),
    source: "export function say(): void { console.log('hello'); }",
    rule: 'no-console',
  },
  {
    why: 'else after return',
    path: inKit('else'),
    source: 'export function sign(n: number): number { if (n < 0) { return -1; } else { return 1; } }',
    rule: 'no-else-return',
  },
  { why: 'var', path: inKit('var'), source: 'export var one = 1;', rule: 'no-var' },
  {
    why: 'let without a change',
    path: inKit('let'),
    source: 'export function one(): number { let n = 1; return n; }',
    rule: 'prefer-const',
  },
  {
    why: 'loose equality',
    path: inKit('equality'),
    source: 'export function isOne(n: number): boolean { return n == 1; }',
    rule: 'eqeqeq',
  },
  {
    why: 'a copy of an instance that has lost its methods',
    path: inKit('spread'),
    source: 'export function copy(map: Map<string, string>): object { return { ...map }; }',
    rule: 'typescript/no-misused-spread',
  },
  {
    why: 'the domain does not know the world',
    path: 'contexts/planted/domain/world.ts',
    source: "export function home(): string | undefined { return process.env['HOME']; }",
    rule: 'no-restricted-globals',
  },
  {
    why: 'the domain takes the time as an argument',
    path: 'contexts/planted/domain/clock.ts',
    source: 'export function isLate(deadline: number): boolean { return Date.now() > deadline; }',
    rule: 'no-restricted-properties',
  },
  {
    why: 'a rule of the category correctness, none of which is named in the configuration',
    path: inKit('category'),
    source: 'export function isNaN(n: number): boolean { return n === NaN; }',
    rule: 'use-isnan',
  },
  {
    why: 'a suppression that suppresses nothing',
    path: inKit('unused-suppression'),
    source: '// oxlint-disable-next-line no-console -- There is none.\nexport const one = 1;\n',
    rule: 'unused directive',
  },
  {
    why: 'a suppression in the words of another linter is none',
    path: inKit('foreign-suppression'),
    source: '// eslint-disable-next-line no-var -- Not ours.\nexport var one = 1;\n',
    rule: 'no-var',
  },
];

/** Code that must be accepted, next to all the violations. */
export const LINT_ALLOWED: Readonly<Record<string, string>> = {
  'kit/planted/allowed.test.ts': `
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
describe('a suite and a test float, and a test may look into an answer', () => {
  it('looks', async () => assert.equal(JSON.parse('{}').items?.[0], undefined));
});`,
  'kit/planted/allowed.ts': `
export async function untilAborted(signal: AbortSignal): Promise<void> {
  await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}
export const characters = (text: string | null): number => (text == null ? 0 : [...text].length);
// oxlint-disable-next-line no-console -- This is how a suppression is written.
console.log('hello');`,
  'scripts/allowed.ts': `console.log('hello');`,
};

function inKit(name: string): string {
  return `kit/planted/${name}.ts`;
}
