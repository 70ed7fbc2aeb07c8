import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFiles, ROOT } from '../scripts/repository.ts';

/** A fenced block: the info string after the backticks, and the content. */
export interface CodeBlock {
  readonly page: string;
  readonly info: string;
  readonly text: string;
}

/** Text in single backticks. */
export interface CodeSpan {
  readonly page: string;
  readonly text: string;
}

const FENCE = /^(`{3,})([^\n]*)\n(.*?)^\1$/gms;
const SPAN = /`([^`\n]+)`/g;

/** The pages that newcomers read. Everything they put in backticks is checked. */
export async function checkedPages(): Promise<string[]> {
  return await findFiles('README.md', 'ARCHITECTURE.md', 'docs/map.md', 'docs/guide/*.md');
}

export function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

export function blocksOf(page: string, text: string = textOf(page)): CodeBlock[] {
  return Array.from(text.matchAll(FENCE), ([, , info = '', block = '']) => ({ page, info, text: block }));
}

/** Text in backticks outside of blocks. In a table `\|` stands for a bar. */
export function spansOf(page: string, text: string = textOf(page)): CodeSpan[] {
  const spans = text.replaceAll(FENCE, '').matchAll(SPAN);
  return Array.from(spans, ([, span = '']) => ({ page, text: span.replaceAll(String.raw`\|`, '|') }));
}

/** The rows of the first table below the heading, as trimmed cells. */
export function tableUnder(page: string, heading: string): string[][] {
  const lines = textOf(page).split('\n');
  const from = lines.indexOf(heading);
  const start = lines.findIndex((line, index) => index > from && line.startsWith('|'));
  if (from === -1 || start === -1) throw new Error(`${page} has no table below "${heading}"`);
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end === -1 ? undefined : end).map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** A function that a page names: `file#function`. */
export interface NamedFunction {
  readonly file: string;
  readonly name: string;
}

export function functionsNamedIn(page: string): NamedFunction[] {
  const named = textOf(page).matchAll(/([\w./-]+\.ts)#(#?\w+)/g);
  return Array.from(named, ([, file = '', name = '']) => ({ file, name }));
}

/**
 * The page's block marked with the word, such as `tour` after `sh`. A test that runs the block gets it here:
 * testing/gates/documents.test.ts searches for this call, and fails for a block that no test runs.
 */
export function commandBlock(page: string, word: string): string {
  const found = blocksOf(page).filter(({ info }) => info === `sh ${word}`);
  const [block] = found;
  if (block === undefined || found.length > 1) throw new Error(`${page} has ${found.length} blocks marked ${word}`);
  return block.text;
}
