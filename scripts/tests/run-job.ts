import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SHORT_LIVED } from '#testing/short-lived';
import { ROOT } from '../repository.ts';
import { makeJobFolders } from './environment.ts';
import { type JobEvent, type Outcome, REPORT } from './job-events.ts';
import type { TestFile } from './needs.ts';

export interface TestResult {
  /** The names of suites and test, from the outermost inward. */
  readonly path: readonly string[];
  readonly outcome: Outcome;
  readonly ms: number;
  readonly reason?: string;
  readonly error?: string;
}

export interface FileResult {
  readonly file: string;
  readonly kind: TestFile['kind'];
  readonly ms: number;
  /** CPU time of its process and its children; in a process with several files, a share by duration. */
  readonly cpuMs: number;
  readonly tests: readonly TestResult[];
  /** A failure of the file itself: it did not load, did not end, or left something behind. */
  readonly error?: string;
}

export interface JobPlace {
  /** The folder of the run. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly nodeFlags: readonly string[];
  readonly timeoutMs: number;
}

export interface JobOutcome {
  readonly files: readonly FileResult[];
  readonly ms: number;
  /** All output of the processes. */
  readonly output: string;
}

let last = 0;
const OUTPUT_LENGTH = 200_000;

/** Runs test files in one process, in a folder and a home of their own. */
export async function runJob(files: readonly TestFile[], place: JobPlace, signal: AbortSignal): Promise<JobOutcome> {
  last += 1;
  const { work, home } = makeJobFolders(place.folder, last);
  const report = join(dirname(work), 'report.jsonl');
  const begun = performance.now();
  const { code, output } = await runProcess(files, { ...place, work, home, report }, signal);
  const ms = performance.now() - begun;
  const left = readdirSync(work);
  const results = collect(files, readReport(report), ms);
  const faults = faultsOf(code, { results, left });
  rmSync(dirname(work), { recursive: true, force: true });
  return { files: withFaults(results, faults), ms, output };
}

interface ProcessPlace extends JobPlace {
  readonly work: string;
  readonly home: string;
  readonly report: string;
}

async function runProcess(files: readonly TestFile[], place: ProcessPlace, signal: AbortSignal) {
  const child = spawn(
    process.execPath,
    [
      ...SHORT_LIVED,
      `--test-timeout=${Math.ceil(place.timeoutMs / 2)}`,
      `--test-reporter=${new URL('./job-events.ts', import.meta.url).href}`,
      '--test-reporter-destination=stdout',
      ...place.nodeFlags,
      join(import.meta.dirname, 'job-process.ts'),
      ...files.map(({ file }) => join(ROOT, file)),
    ],
    {
      cwd: place.work,
      env: {
        ...place.env,
        HOME: place.home,
        FLEETSHIFT_TEST_TIMEOUT_MS: String(place.timeoutMs),
        [REPORT]: place.report,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_LENGTH);
    });
  }
  const [code, killer] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code: code ?? killer, output };
}

function readReport(file: string): JobEvent[] {
  if (!existsSync(file)) return [];
  const whole = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return whole.map((line) => JSON.parse(line) as JobEvent);
}

/** The reported results by file. A file that started and never ended has failed, and so has one that never started. */
function collect(files: readonly TestFile[], events: readonly JobEvent[], ms: number): FileResult[] {
  const cpuMs = events.find((event) => event.kind === 'used')?.cpuMs ?? 0;
  const told = events.filter((event) => event.kind !== 'used');
  const all = told.reduce((sum, event) => sum + (event.kind === 'ended' ? event.ms : 0), 0);
  const byFile = Map.groupBy(told, ({ file }) => file);
  return files.map(({ file, kind }, index) => {
    const own = byFile.get(index) ?? [];
    const tests = own
      .filter((event) => event.kind === 'test')
      .map(({ path, outcome, ms: testMs, reason, error }) => ({
        path,
        outcome,
        ms: testMs,
        ...(reason !== undefined && { reason }),
        ...(error !== undefined && { error }),
      }));
    const end = own.find((event) => event.kind === 'ended');
    // A file alone in its process also counts the time of the process.
    const took = files.length === 1 ? ms : (end?.ms ?? 0);
    const used = files.length === 1 ? cpuMs : (cpuMs * (end?.ms ?? 0)) / (all || 1);
    if (end !== undefined) return { file, kind, tests, ms: took, cpuMs: used, ...(end.error && { error: end.error }) };
    const error = own.length > 0 ? 'the process ended in the middle of it' : 'it was not begun';
    return { file, kind, tests, ms: took, cpuMs: used, error };
  });
}

interface Remains {
  readonly results: readonly FileResult[];
  readonly left: readonly string[];
}

function faultsOf(code: number | NodeJS.Signals | null, { results, left }: Remains): string[] {
  const faults: string[] = [];
  if (code !== 0 && results.every(hasPassed)) faults.push(`the process ended with ${code} although every test passed`);
  if (left.length > 0) faults.push(`files were left in the working folder: ${left.join(', ')}`);
  return faults;
}

/** A failure of the process is attributed to its last file; the output shows the actual one. */
function withFaults(results: readonly FileResult[], faults: readonly string[]): FileResult[] {
  if (faults.length === 0) return [...results];
  return results.map((result, index) =>
    index < results.length - 1 ? result : { ...result, error: [result.error, ...faults].filter(Boolean).join('; ') },
  );
}

export function hasPassed({ error, tests }: FileResult): boolean {
  return error === undefined && tests.every(({ outcome }) => outcome !== 'failed');
}
