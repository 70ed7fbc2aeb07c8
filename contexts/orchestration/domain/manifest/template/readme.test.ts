import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { TEMPLATE_VARIABLES } from './inspect-expression.ts';
import { PATH_FUNCTIONS, TEMPLATE_FUNCTIONS } from './template-functions.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

test('the README lists exactly the functions that there are', () => {
  const rows = readme.split('\n').filter((line) => /^\| `\w+\(/.test(line));
  const listed = rows.flatMap((row) => Array.from(row.matchAll(/`(\w+)\(/g), ([, name = '']) => name));
  assert.deepEqual(listed.sort(), [...PATH_FUNCTIONS.keys(), ...TEMPLATE_FUNCTIONS.keys()].sort());
});

test('the README lists exactly the variables that there are', () => {
  const line = /- Variables: ([^]*?)\. Using/.exec(readme)?.[1] ?? '';
  const listed = line.replaceAll(/\([^]*?\)/g, '').matchAll(/`(\w+)`/g);
  assert.deepEqual(
    Array.from(listed, ([, name]) => name),
    [...TEMPLATE_VARIABLES.keys()],
  );
});
