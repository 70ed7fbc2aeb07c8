import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type JobFolders, makeJobFolders, makeRunFolder, testEnvironment } from '../tests/environment.ts';
import type { TestFile } from '../tests/needs.ts';
import type { Suite } from '../tests/select.ts';
import { hasRun, readCoverage } from './covered.ts';
import type { DrawnMutant } from './draw-mutants.ts';
import { mutated } from './find-mutants.ts';

export type Fate = 'killed' | 'timeout' | 'survived' | 'not reached';

export interface TestedMutant extends DrawnMutant {
  readonly fate: Fate;
  /** The first red test, or what else ended the run. */
  readonly by?: string;
}

export interface TestMutantsOptions {
  readonly root: string;
  readonly suite: Suite;
  /** Of a core, for the tests of a mutant: on a busy machine, slow is not broken. */
  readonly cpuSeconds: number;
  readonly log: (line: string) => void;
}

/** The heap of a process of tests: a mutant that never stops collecting ends by itself. */
const HEAP_MB = 1_024;
const SEED = '20260101';
/** Processes of tests also wait, and share the machine. */
const WALL_PER_CPU = 10;

/**
 * Which tests ran which part of a file is measured once, with a process for each test file; a mutant is then checked by
 * the tests that ran its place. A test file that is red without any mutant checks none.
 */
export class MutantTests {
  readonly #options: TestMutantsOptions;
  readonly #folder = makeRunFolder();
  readonly #coverage = new Map<string, Awaited<ReturnType<typeof readCoverage>>>();
  #jobs = 0;

  constructor(options: TestMutantsOptions) {
    this.#options = options;
  }

  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Runs every serverless test file that reaches one of these files once. */
  async measure(files: readonly string[], signal: AbortSignal): Promise<void> {
    const { suite, log } = this.#options;
    const reaching = suite.graph.reaching(files);
    const tests = suite.files.filter(({ kind, file }) => kind === 'unit' && reaching.has(file));
    log(`${tests.length} test files without a server reach the mutants`);
    for (const test of tests) {
      const job = this.#newJob();
      const folder = join(dirname(job.work), 'coverage');
      const { red } = await this.#run([test], job, { signal, env: { NODE_V8_COVERAGE: folder } });
      if (red === undefined) this.#coverage.set(test.file, await readCoverage(folder, this.#options.root));
      else log(`red without a mutant, and left out: ${test.file}: ${red}`);
      rmSync(dirname(job.work), { recursive: true, force: true });
    }
  }

  async test(mutant: DrawnMutant, signal: AbortSignal): Promise<TestedMutant> {
    const path = join(this.#options.root, mutant.file);
    const source = readFileSync(path, 'utf8');
    const tests = this.#testsOf(mutant, source);
    if (tests.length === 0) return { ...mutant, fate: 'not reached' };
    try {
      writeFileSync(path, mutated(source, mutant));
      const alone = tests.filter(({ ownProcess }) => ownProcess).map((test) => [test]);
      for (const files of [tests.filter(({ ownProcess }) => !ownProcess), ...alone]) {
        if (files.length === 0) continue;
        const job = this.#newJob();
        const { red, isLate } = await this.#run(files, job, { signal, env: {} });
        rmSync(dirname(job.work), { recursive: true, force: true });
        if (isLate) return { ...mutant, fate: 'timeout' };
        if (red !== undefined) return { ...mutant, fate: 'killed', by: red };
      }
      return { ...mutant, fate: 'survived' };
    } finally {
      writeFileSync(path, source);
    }
  }

  /** The nearest first: most mutants are killed by the test beside the file. */
  #testsOf({ file, start }: DrawnMutant, source: string): TestFile[] {
    const place = Buffer.from(source).subarray(0, start).toString().length;
    const found = this.#options.suite.files.filter((test) => {
      return hasRun(this.#coverage.get(test.file)?.get(file) ?? [], place);
    });
    return found.toSorted((a, b) => commonLength(b.file, file) - commonLength(a.file, file));
  }

  #newJob(): JobFolders {
    this.#jobs += 1;
    return makeJobFolders(this.#folder, this.#jobs);
  }

  async #run(tests: readonly TestFile[], job: JobFolders, how: { env: NodeJS.ProcessEnv; signal: AbortSignal }) {
    const { root, cpuSeconds } = this.#options;
    const deadlineMs = cpuSeconds * 1_000 * WALL_PER_CPU;
    const late = AbortSignal.timeout(deadlineMs);
    const child = spawn(
      '/bin/sh',
      [
        '-c',
        `ulimit -t ${cpuSeconds}; exec "$@"`,
        'sh',
        process.execPath,
        `--max-old-space-size=${HEAP_MB}`,
        `--test-timeout=${deadlineMs}`,
        `--test-reporter=${new URL('./first-red.ts', import.meta.url).href}`,
        '--test-reporter-destination=stdout',
        join(import.meta.dirname, '../tests/job-process.ts'),
        ...tests.map(({ file }) => join(root, file)),
      ],
      {
        cwd: job.work,
        env: {
          ...testEnvironment(process.env),
          TMPDIR: dirname(job.work),
          HOME: job.home,
          FLEETSHIFT_TEST_TIMEOUT_MS: String(deadlineMs),
          FLEETSHIFT_TEST_SEED: SEED,
          ...how.env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
        signal: AbortSignal.any([how.signal, late]),
        killSignal: 'SIGKILL',
      },
    );
    const closed = new Promise<{ code: number | null; killer: NodeJS.Signals | null }>((resolve) => {
      child.once('close', (code, killer) => resolve({ code, killer }));
    });
    // Ending it at the deadline is reported as an error too.
    child.on('error', () => {});
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-20_000);
      });
    }
    const { code, killer } = await closed;
    how.signal.throwIfAborted();
    const named = /^red: (?<name>.*)$/m.exec(output)?.groups?.['name'];
    const red = code === 0 ? undefined : (named ?? output.trim().split('\n').slice(-3).join(' ').slice(-300));
    return { red, isLate: late.aborted || killer === 'SIGXCPU' || killer === 'SIGKILL' };
  }
}

function commonLength(a: string, b: string): number {
  const end = [...a].findIndex((character, index) => character !== b[index]);
  return end < 0 ? a.length : end;
}
