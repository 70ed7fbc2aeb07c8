import { basename, dirname, join, normalize } from 'node:path';

/** One import of a file by a file, by paths below the root. Types count. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
}

const IMPORT = /^(?:import|export)\b[^'";]*?from\s+'([#.][^']+)'|^import\s+'([#.][^']+)'|\bimport\(\s*'([#.][^']+)'/gm;

export function arrowsOf(sources: ReadonlyMap<string, string>): Arrow[] {
  return [...sources].flatMap(([from, text]) =>
    [...text.matchAll(IMPORT)]
      .map(([, a, b, c]) => resolved(from, a ?? b ?? c ?? ''))
      .filter((to) => to !== undefined && sources.has(to))
      .map((to) => ({ from, to: to as string })),
  );
}

function resolved(from: string, path: string): string | undefined {
  if (path.startsWith('.')) return normalize(join(dirname(from), path));
  const [, room, rest] = /^#(kit|contexts|protocol|runtime)\/(.+)$/.exec(path) ?? [];
  if (room === undefined) return undefined;
  return room === 'runtime' ? `runtime/${rest}.ts` : `${room}/${rest}/index.ts`;
}

/** `kit/storage` of `kit/storage/sqlite/connection.ts`. */
function moduleOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}

/** Modules that need each other, each group in order. */
export function cyclesOf(arrows: readonly Arrow[]): string[][] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of arrows) {
    const [a, b] = [moduleOf(from), moduleOf(to)];
    if (a !== b) next.set(a, (next.get(a) ?? new Set()).add(b));
  }
  const reach = (start: string): Set<string> => {
    const seen = new Set<string>(next.get(start));
    for (const each of seen) for (const found of next.get(each) ?? []) seen.add(found);
    return seen;
  };
  const reached = new Map([...next.keys()].map((module) => [module, reach(module)]));
  const inCycle = [...reached].filter(([module, all]) => all.has(module)).map(([module]) => module);
  const groups = Map.groupBy(inCycle, (module) =>
    inCycle
      .filter((other) => reached.get(module)?.has(other) && reached.get(other)?.has(module))
      .toSorted()
      .join(' '),
  );
  return [...groups.keys()].map((group) => group.split(' '));
}

/** The CLI starts every process: it loads their settings, and `run` on demand. */
const STARTS = { from: /^apps\/cli\/commands\//, to: /^apps\/[^/]+\/command\.ts$/ };

/** Processes that import other processes, as `apps/demo apps/platform`. */
export function appsThatImportApps(arrows: readonly Arrow[]): readonly string[] {
  const found = arrows
    .filter(({ from, to }) => from.startsWith('apps/') && to.startsWith('apps/') && moduleOf(from) !== moduleOf(to))
    .filter(({ from, to }) => !(STARTS.from.test(from) && STARTS.to.test(to)))
    .map(({ from, to }) => `${moduleOf(from)} ${moduleOf(to)}`);
  return [...new Set(found)];
}

/** Folders with more files of their own than they may have, as `kit/a: 26`. */
export function fullFolders(files: Iterable<string>, mostOf: (folder: string) => number): readonly string[] {
  return [...Map.groupBy(files, (file) => dirname(file))]
    .filter(([folder, its]) => its.length > mostOf(folder))
    .map(([folder, its]) => `${folder}: ${its.length}`);
}

/** Files of less than 30 lines that one neighbour alone imports. A facade offers a file to others, and could not hold it. */
export function crumbsOf(sources: ReadonlyMap<string, string>, arrows: readonly Arrow[]): readonly string[] {
  const importers = Map.groupBy(arrows, ({ to }) => to);
  return [...sources.keys()].filter((file) => {
    const [first = '', ...others] = new Set(importers.get(file)?.map(({ from }) => from));
    const isNeighbour = dirname(first) === dirname(file) && basename(first) !== 'index.ts';
    return others.length === 0 && isNeighbour && (sources.get(file) ?? '').split('\n').length < 30;
  });
}
