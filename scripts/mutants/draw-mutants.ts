import { hash } from 'node:crypto';
import { MUTANT_KINDS, type Mutant, type MutantKind, mutated } from './find-mutants.ts';

/** A mutant of a file below one of the asked-for folders. */
export interface DrawnMutant extends Mutant {
  readonly file: string;
  /** The asked-for folder, by which figures are given. */
  readonly folder: string;
  /** The first changed line, counted from 1. */
  readonly line: number;
}

export interface FileMutants {
  readonly file: string;
  readonly folder: string;
  readonly source: string;
  readonly mutants: readonly Mutant[];
}

/**
 * Draws mutants so that two versions of the code can be compared: each folder gets the same number, and in it each kind,
 * however the code is spread over files. Within a kind the order depends on the seed and on the changed lines alone, so
 * that code that only moved is drawn again.
 */
export function drawMutants(files: readonly FileMutants[], count: number, seed: number): DrawnMutant[] {
  const folders = [...new Set(files.map(({ folder }) => folder))].toSorted();
  const heaps = folders.map((folder) =>
    inTurns(
      ranked(
        files.filter((file) => file.folder === folder),
        seed,
      ),
    ),
  );
  return inTurns(heaps).slice(0, count);
}

function ranked(files: readonly FileMutants[], seed: number): DrawnMutant[][] {
  const all = files.flatMap(({ file, folder, source, mutants }) =>
    mutants.map((mutant) => ({
      rank: rankOf(source, mutant, seed),
      drawn: { ...mutant, file, folder, line: lineOf(source, mutant) },
    })),
  );
  const sorted = all.toSorted((a, b) => (a.rank < b.rank ? -1 : Number(a.rank > b.rank)));
  const byKind: Partial<Record<MutantKind, typeof all>> = Object.groupBy(sorted, ({ drawn }) => drawn.kind);
  return MUTANT_KINDS.map((kind) => (byKind[kind] ?? []).map(({ drawn }) => drawn));
}

/** One of each heap in turn, until all are empty. */
function inTurns<T>(heaps: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...heaps.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => heaps.flatMap((heap) => heap.slice(turn, turn + 1))).flat();
}

function rankOf(source: string, mutant: Mutant, seed: number): string {
  const { before, after } = changedLines(source, mutant);
  return hash('sha256', JSON.stringify([seed, mutant.kind, before, after]));
}

function lineOf(source: string, { start }: Mutant): number {
  return Buffer.from(source).subarray(0, start).toString().split('\n').length;
}

/** The lines that differ, without indentation. */
export function changedLines(source: string, mutant: Mutant): { readonly before: string[]; readonly after: string[] } {
  const [before, after] = [source, mutated(source, mutant)].map((text) => text.split('\n').map((line) => line.trim()));
  if (before === undefined || after === undefined) throw new TypeError('compare a source with its mutant: no lines');
  while (before.length > 0 && before[0] === after[0]) [before, after].map((lines) => lines.shift());
  while (before.length > 0 && after.length > 0 && before.at(-1) === after.at(-1)) [before, after].map((l) => l.pop());
  return { before, after };
}
