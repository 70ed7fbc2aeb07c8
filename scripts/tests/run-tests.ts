import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type CpuUse, CpuWatch } from './cpu-use.ts';
import { dropOldCompiledCode, makeRunFolder, testEnvironment } from './environment.ts';
import type { TestFile } from './needs.ts';
import { type Job, planJobs, type Recorded } from './plan.ts';
import { type FileResult, hasPassed, type JobPlace, runJob } from './run-job.ts';
import { schedule } from './schedule.ts';
import { RunServers } from './servers.ts';
import { jobLines } from './summary.ts';

export interface RunOptions {
  readonly files: readonly TestFile[];
  readonly recorded: Recorded;
  readonly nodeFlags: readonly string[];
  readonly seed: string;
  readonly timeoutMs: number;
  readonly print: (line: string) => void;
  /** Number of concurrent processes. */
  readonly slots?: number;
}

export interface RunResult {
  readonly files: readonly FileResult[];
  readonly flaky: readonly string[];
  readonly cpu: CpuUse;
}

/** Runs test files with the servers they need. Failed files are run once more, alone, to tell flaky from broken. */
export async function runTests(options: RunOptions, signal: AbortSignal): Promise<RunResult> {
  const cpu = new CpuWatch();
  try {
    const results = await runWithServers(options, signal);
    // Only now have the servers ended, which count too.
    return { ...results, cpu: cpu.stop() };
  } finally {
    cpu.stop();
  }
}

async function runWithServers(options: RunOptions, signal: AbortSignal): Promise<Omit<RunResult, 'cpu'>> {
  const folder = makeRunFolder();
  const needs = [...new Set(options.files.flatMap((file) => file.needs))];
  const environment: NodeJS.ProcessEnv = {
    ...testEnvironment(process.env),
    TMPDIR: folder,
    FLEETSHIFT_TEST_SEED: options.seed,
  };
  // Servers started by this process keep their data there too, and share compiled code.
  const { TMPDIR, NODE_COMPILE_CACHE } = environment;
  Object.assign(process.env, { TMPDIR, NODE_COMPILE_CACHE });
  const servers = new RunServers(needs, options.print);
  const { nodeFlags, timeoutMs } = options;
  const place = (): JobPlace => ({ folder, nodeFlags, timeoutMs, env: { ...environment, ...servers.environment() } });
  try {
    const results = new Map<string, FileResult>();
    const runOne = async (job: Job): Promise<void> => {
      const outcome = await runJob(job.files, place(), signal);
      for (const line of jobLines(outcome)) options.print(line);
      for (const result of outcome.files) results.set(result.file, result);
    };
    // Tests spend half of their time waiting for servers, timers and disks: two processes per core keep every core busy.
    const { slots = 2 * availableParallelism() } = options;
    const ready = (need: TestFile['needs'][number]): Promise<void> => servers.ready(need);
    await schedule(planJobs(options.files, options.recorded), { slots, ready, run: runOne });
    const files = options.files.map(({ file }) => results.get(file)).filter((result) => result !== undefined);
    const flaky = await findFlaky(files, options, (file) => runJob([file], place(), signal));
    return { files, flaky };
  } finally {
    await servers.stop();
    rmSync(folder, { recursive: true, force: true });
    if (NODE_COMPILE_CACHE !== undefined) dropOldCompiledCode(NODE_COMPILE_CACHE, Date.now());
  }
}

const MOST_REPEATED = 10;

/** Many failures have a common cause, and repeating them would show nothing. */
async function findFlaky(
  results: readonly FileResult[],
  { files, print }: RunOptions,
  run: (file: TestFile) => Promise<{ readonly files: readonly FileResult[] }>,
): Promise<string[]> {
  const failed = results.filter((result) => !hasPassed(result));
  const flaky: string[] = [];
  if (failed.length > MOST_REPEATED) return flaky;
  for (const { file } of failed) {
    const test = files.find((one) => one.file === file);
    if (test === undefined) continue;
    print(`once more, alone: ${file}`);
    const again = await run(test);
    if (again.files.every(hasPassed)) flaky.push(file);
  }
  return flaky;
}
