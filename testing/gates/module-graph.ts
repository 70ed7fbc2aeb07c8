import { dirname, join, normalize } from 'node:path';

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
export function moduleOf(file: string): string {
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
