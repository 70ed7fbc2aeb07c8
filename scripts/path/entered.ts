import { readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A function that was called, with the place of its text in its file. */
export interface Entered {
  /** Below the root of the checkout. */
  readonly file: string;
  /** Empty for an arrow function that is a mere argument. */
  readonly name: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** Lines of code that ran or could have run in it: not those of functions inside it, nor blanks or comments. */
  readonly lines: readonly number[];
}

export interface Counts {
  readonly functions: number;
  readonly files: number;
  readonly lines: number;
}

const OURS = /^(?:apps|contexts|kit|protocol|runtime)\//;
const APART = /^(?:kit\/|protocol\/proto\/gen\/)/;

/** Identifies a function in a checkout. */
function keyOf({ file, start, end }: Entered): string {
  return `${file}:${start}-${end}`;
}

/** Our functions among those that V8 reports as called. The body of a module is no function. */
export function enteredIn(scripts: readonly Profiler.ScriptCoverage[], root: string): Entered[] {
  return scripts.flatMap(({ url, functions }) => {
    const file = url.startsWith('file:') ? below(root, fileURLToPath(url)) : '';
    return OURS.test(file) && !file.includes('/node_modules/') ? enteredInFile(file, { root, functions }) : [];
  });
}

function enteredInFile(
  file: string,
  { root, functions }: { readonly root: string; readonly functions: readonly Profiler.FunctionCoverage[] },
): Entered[] {
  const text = readFileSync(join(root, file), 'utf8');
  const all = functions.flatMap(({ functionName: name, ranges: [range] }) => {
    const isModule = range === undefined || (range.startOffset === 0 && range.endOffset >= text.length - 1);
    return isModule ? [] : [{ name, start: range.startOffset, end: range.endOffset, count: range.count }];
  });
  const called = all.filter(({ count }) => count > 0);
  if (called.length === 0) return [];
  const { lineOf, isCode } = linesOf(text);
  return called.map(({ name, start, end }) => {
    const [first, last] = [lineOf(start), lineOf(end)];
    const inner = all.filter(
      (other) => other.start >= start && other.end <= end && other.end - other.start < end - start,
    );
    const hidden = new Set(inner.flatMap((each) => between(lineOf(each.start) + 1, lineOf(each.end))));
    const lines = between(first, last).filter((line) => isCode(line) && !hidden.has(line));
    return { file, name, line: first, start, end, lines };
  });
}

/** Each function once, whichever processes called it; a function in both is in the result. */
export function union(all: readonly (readonly Entered[])[]): Entered[] {
  return [...new Map(all.flat().map((each) => [keyOf(each), each])).values()];
}

export function without(all: readonly Entered[], others: readonly Entered[]): Entered[] {
  const known = new Set(others.map(keyOf));
  return all.filter((each) => !known.has(keyOf(each)));
}

/** Technology and generated code are counted apart from what knows the product. */
export function countByRoom(all: readonly Entered[]): { readonly path: Counts; readonly apart: Counts } {
  return {
    path: countOf(all.filter(({ file }) => !APART.test(file))),
    apart: countOf(all.filter(({ file }) => APART.test(file))),
  };
}

/** The same for each module: `contexts/orchestration`. */
export function countByModule(all: readonly Entered[]): ReadonlyMap<string, Counts> {
  const modules = Map.groupBy(all, ({ file }) => file.split('/').slice(0, 2).join('/'));
  return new Map(
    [...modules].map(([module, its]) => [module, countOf(its)] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function countOf(all: readonly Entered[]): Counts {
  const lines = new Set(all.flatMap((each) => each.lines.map((line) => `${each.file}:${line}`)));
  return { functions: all.length, files: new Set(all.map(({ file }) => file)).size, lines: lines.size };
}

function below(root: string, path: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : '';
}

function between(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, nth) => first + nth);
}

/** Line numbers begin with 1. Types are stripped in place, so that offsets are those of the source. */
function linesOf(text: string) {
  const lines = text.split('\n');
  let at = 0;
  const starts = lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return start;
  });
  const lineOf = (offset: number): number => {
    const after = starts.findIndex((start) => start > offset);
    return after === -1 ? lines.length : after;
  };
  const isCode = (line: number): boolean => !/^\s*(?:\/\/.*|\/?\*.*)?$/.test(lines[line - 1] ?? '');
  return { lineOf, isCode };
}
