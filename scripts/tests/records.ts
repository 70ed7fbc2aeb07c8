import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../../testing/go-program.ts';
import { ROOT } from '../repository.ts';
import type { CpuUse } from './cpu-use.ts';
import { type FileResult, hasPassed } from './run-job.ts';

/** The duration of each file in the last green run on this machine, in milliseconds. */
export type Durations = Readonly<Record<string, number>>;

/** Files below this are not reported as slower: their time is mostly process startup. */
const WORTH_NAMING_MS = 2_000;
const SLOWER = 1.5;

export interface RunRecord {
  readonly seed: string;
  readonly ms: number;
  readonly files: readonly FileResult[];
  readonly cpu?: CpuUse;
}

/** Kept in the user's cache: durations for all checkouts, the last run for this one. */
export class Records {
  readonly resultsFile: string;
  readonly #durationsFile: string;

  constructor(env: NodeJS.ProcessEnv) {
    this.resultsFile = cacheFolder(env, 'tests', hash('sha256', ROOT, 'hex').slice(0, 12), 'results.json');
    this.#durationsFile = cacheFolder(env, 'tests', 'durations.json');
  }

  durations(): Durations {
    return (read(this.#durationsFile) as Durations | undefined) ?? {};
  }

  /** For a plan: includes the last run, for files that no green run has covered yet. */
  expected(): Durations {
    const record = read(this.resultsFile) as RunRecord | undefined;
    const last = Object.fromEntries(record?.files.map(({ file, ms }) => [file, ms]) ?? []);
    return { ...last, ...this.durations() };
  }

  failedFiles(): string[] {
    const record = read(this.resultsFile) as RunRecord | undefined;
    return record?.files.filter((file) => !hasPassed(file)).map(({ file }) => file) ?? [];
  }

  /** File and full name of every test of the last run. */
  listed(): string[] {
    const record = read(this.resultsFile) as RunRecord | undefined;
    return record?.files.flatMap(({ file, tests }) => tests.map(({ path }) => `${file}: ${path.join(' > ')}`)) ?? [];
  }

  keep(record: RunRecord, isGreen: boolean): void {
    write(this.resultsFile, record);
    if (!isGreen) return;
    const took = Object.fromEntries(record.files.map(({ file, ms }) => [file, Math.round(ms)]));
    write(this.#durationsFile, { ...this.durations(), ...took });
  }
}

export interface Slower {
  readonly file: string;
  readonly ms: number;
  readonly recordedMs: number;
}

/**
 * Files that took 1.5 times as long as recorded. Everything takes longer on a busy machine, so each is compared with the
 * slowdown of the median file.
 */
export function slowerFiles(files: readonly Pick<FileResult, 'file' | 'ms'>[], recorded: Durations): Slower[] {
  const known = files
    .map(({ file, ms }) => ({ file, ms, recordedMs: recorded[file] ?? 0 }))
    .filter(({ ms, recordedMs }) => recordedMs > 0 && Math.max(ms, recordedMs) > WORTH_NAMING_MS);
  const ratios = known.map(({ ms, recordedMs }) => ms / recordedMs).toSorted((a, b) => a - b);
  const median = Math.max(1, ratios[Math.floor(ratios.length / 2)] ?? 1);
  return known.filter(({ ms, recordedMs }) => ms > WORTH_NAMING_MS && ms / recordedMs / median >= SLOWER);
}

function read(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // Missing, or truncated by a full disk: the next green run writes it.
    return undefined;
  }
}

function write(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  const apart = join(dirname(file), `.${process.pid}.json`);
  writeFileSync(apart, JSON.stringify(value));
  renameSync(apart, file);
}
