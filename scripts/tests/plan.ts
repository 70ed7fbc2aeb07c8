import type { Need, TestFile } from './needs.ts';

/** Files that run in one process. */
export interface Job {
  readonly files: readonly TestFile[];
  readonly needs: readonly Need[];
  /** From the records of earlier runs, otherwise a guess by kind. */
  readonly expectedMs: number;
}

/** The last duration of a file, if known. */
export type Recorded = (file: string) => number | undefined;

const GUESS_MS = { unit: 300, process: 8_000, postgres: 8_000, clusters: 20_000, temporal: 30_000 } as const;
const LONG_MS = 60_000;
/** Long enough to make process startup cheap, and short enough to spread over cores. Files that use a server mostly wait. */
const SHARED_MS = { unit: 8_000, others: 30_000 } as const;
const SHARED_FILES = 40;

/**
 * Jobs in start order: files without a server first, since they show within seconds what is broken; then the longest
 * first, so that none of them is left for the end.
 */
export function planJobs(files: readonly TestFile[], recorded: Recorded): Job[] {
  const expected = (file: TestFile): number => recorded(file.file) ?? (file.isLong ? LONG_MS : GUESS_MS[file.kind]);
  const jobOf = (all: readonly TestFile[]): Job => ({
    files: all,
    needs: [...new Set(all.flatMap(({ needs }) => needs))],
    expectedMs: all.reduce((sum, file) => sum + expected(file), 0),
  });
  const own = files.filter(({ ownProcess }) => ownProcess).map((file) => jobOf([file]));
  const sharing = files.filter(({ ownProcess }) => !ownProcess);
  const byNeeds = Map.groupBy(sharing, ({ needs }) => needs.join());
  const shared = [...byNeeds.values()].flatMap((all) => inShares(all, expected)).map(jobOf);
  const isUnit = (job: Job): boolean => job.files[0]?.kind === 'unit';
  return [...shared, ...own].toSorted((a, b) => Number(isUnit(b)) - Number(isUnit(a)) || b.expectedMs - a.expectedMs);
}

function inShares(files: readonly TestFile[], expected: (file: TestFile) => number): TestFile[][] {
  const shares: TestFile[][] = [];
  const wholeMs = files[0]?.kind === 'unit' ? SHARED_MS.unit : SHARED_MS.others;
  let room = 0;
  for (const file of files) {
    const ms = expected(file);
    const share = shares.at(-1);
    if (share !== undefined && share.length < SHARED_FILES && ms <= room) {
      share.push(file);
      room -= ms;
    } else {
      shares.push([file]);
      room = wholeMs - ms;
    }
  }
  return shares;
}
