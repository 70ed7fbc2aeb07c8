import type { CpuUse } from './cpu-use.ts';
import { KINDS } from './needs.ts';
import type { Slower } from './records.ts';
import { type FileResult, hasPassed, type JobOutcome, type TestResult } from './run-job.ts';

export interface RunSummary {
  readonly files: readonly FileResult[];
  readonly ms: number;
  readonly cpu: CpuUse;
  readonly slower: readonly Slower[];
  /** Files that failed, and passed when they ran once more. */
  readonly flaky: readonly string[];
  readonly seed: string;
  readonly resultsFile: string;
}

const LISTED = 10;

/** One line for an ended job, with all details if it failed. */
export function jobLines({ files, ms, output }: JobOutcome): string[] {
  const [first] = files;
  if (first === undefined) return [];
  const failed = files.filter((file) => !hasPassed(file));
  const tests = files.reduce((sum, file) => sum + file.tests.length, 0);
  const name = files.length === 1 ? first.file : `${first.file} and ${files.length - 1} more`;
  const line = `${failed.length === 0 ? '✔' : '✖'} ${name}: ${tests} tests, ${seconds(ms)}`;
  if (failed.length === 0) return [line];
  const written = output.trim();
  return [
    line,
    ...failed.flatMap(failureLines),
    ...(written ? ['  output of the process:', indented(written, 4)] : []),
  ];
}

/** The end of a run. Its last line is `N passed, N failed, N skipped`. */
export function summaryLines(run: RunSummary): string[] {
  const tests = run.files.flatMap((file) => file.tests);
  const failed = run.files.filter((file) => !hasPassed(file));
  return [
    '',
    'time by kind',
    ...KINDS.flatMap((kind) => kindLine(kind, run.files)),
    '',
    'slowest files, and how long they kept a core busy',
    ...longest(run.files, ({ ms }) => ms).map(fileLine),
    '',
    'most expensive files: how long they kept a core busy',
    ...longest(run.files, ({ cpuMs }) => cpuMs).map(fileLine),
    ...cpuLines(run),
    ...section('slower than in the last green run, beyond what the whole run was slower', run.slower.map(slowerLine)),
    ...section('skipped', skippedLines(tests)),
    ...section('flaky: failed, then passed when run alone', run.flaky),
    ...section(
      'failed',
      failed.flatMap((file) => [...failureLines(file), againLine(file, run.seed)]),
    ),
    '',
    `${run.files.length} files in ${seconds(run.ms)}; every duration is in ${run.resultsFile}`,
    closingLine(run.files),
  ];
}

/** A file that failed as a whole counts as one failure. */
function closingLine(files: readonly FileResult[]): string {
  const tests = files.flatMap((file) => file.tests);
  const count = (outcome: TestResult['outcome']): number => tests.filter((test) => test.outcome === outcome).length;
  const broken = files.filter(({ error }) => error !== undefined).length;
  return `${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => indented(line, 2))];
}

function kindLine(kind: FileResult['kind'], files: readonly FileResult[]): string[] {
  const own = files.filter((file) => file.kind === kind);
  if (own.length === 0) return [];
  const ms = own.reduce((sum, file) => sum + file.ms, 0);
  const cpuMs = own.reduce((sum, file) => sum + file.cpuMs, 0);
  const busy = `${seconds(cpuMs)} of a core`;
  return [`  ${kind.padEnd(10)}${seconds(ms).padStart(10)} in ${own.length} files, ${busy}`];
}

function fileLine({ file, ms, cpuMs }: FileResult): string {
  return `  ${seconds(ms).padStart(8)} ${`(${seconds(cpuMs)})`.padStart(10)}  ${file}`;
}

function longest<T>(all: readonly T[], by: (one: T) => number): T[] {
  return all.toSorted((a, b) => by(b) - by(a)).slice(0, LISTED);
}

/** By program, with servers; other work of the machine counts in the share alone. */
function cpuLines({ cpu, ms }: RunSummary): string[] {
  const programs = Object.entries(cpu.byProgram);
  const all = programs.reduce((sum, [, cpuMs]) => sum + cpuMs, 0);
  return [
    '',
    `${seconds(all)} of a core, ${(all / ms).toFixed(1)} cores on average; all cores were ${Math.round(cpu.busyShare * 100)} % busy`,
    ...longest(programs, ([, cpuMs]) => cpuMs).map(([program, cpuMs]) => `  ${seconds(cpuMs).padStart(8)}  ${program}`),
  ];
}

function slowerLine({ file, ms, recordedMs }: Slower): string {
  return `${file}: ${seconds(ms)}, was ${seconds(recordedMs)}`;
}

function skippedLines(tests: readonly TestResult[]): string[] {
  const reasons = Map.groupBy(
    tests.filter(({ outcome }) => outcome === 'skipped'),
    ({ reason = 'no reason given' }) => reason,
  );
  return [...reasons].map(([reason, all]) => `${all.length}: ${reason}`);
}

function failureLines({ file, error, tests }: FileResult): string[] {
  const failed = tests.filter(({ outcome }) => outcome === 'failed');
  return [
    ...(error === undefined ? [] : [`  ✖ ${file}: ${error}`]),
    ...failed.map((test) => `  ✖ ${file}: ${test.path.join(' > ')}\n${indented(test.error ?? '', 6)}`),
  ];
}

function againLine({ file }: FileResult, seed: string): string {
  return `  again: FLEETSHIFT_TEST_SEED=${seed} npm test -- ${file}`;
}

function indented(text: string, spaces: number): string {
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(spaces));
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
