import { watch } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { cacheFolder } from '../testing/go-program.ts';
import { installSdk } from '../testing/temporal/install-sdk.ts';
import type { Gate } from './gates.ts';
import { ROOT } from './repository.ts';
import { runGates } from './run-gates.ts';
import { changedFiles, reachedTests } from './tests/changes.ts';
import type { TestFile } from './tests/needs.ts';
import { Records } from './tests/records.ts';
import { hasPassed } from './tests/run-job.ts';
import { runTests } from './tests/run-tests.ts';
import { readSuite } from './tests/select.ts';

const USAGE = `npm run quick                        check types, lint, and run the tests that your change reaches and that need no server
npm run quick -- contexts/targets    the same for everything below a path
npm run quick -- --all               the same for the whole tree
npm run quick -- --watch             repeat on every change; combines with the others
`;

const OPTIONS = {
  all: { type: 'boolean', default: false },
  watch: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

interface Scope {
  /** Paths for oxlint; empty means that there is nothing to lint. */
  readonly lint: readonly string[];
  readonly tests: readonly TestFile[];
  /** Test files that the change also reaches, but that need a server. */
  readonly beyond: readonly TestFile[];
}

const { values, positionals } = readArguments();
if (values.help) {
  console.log(USAGE);
} else {
  try {
    await installSdk(console.log);
    process.exitCode = (await once()) ? 0 : 1;
    if (values.watch) await again();
  } catch (error) {
    fail(error);
  }
}

function readArguments() {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  console.error(`\n${USAGE}`);
  process.exit(2);
}

async function once(): Promise<boolean> {
  const begun = performance.now();
  const scope = await findScope();
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const [gates, tests] = await Promise.all([check(scope, stop.signal), test(scope.tests, stop.signal)]);
  console.log(`${gates && tests ? 'passed' : 'not passed'} in ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  if (scope.beyond.length > 0) {
    console.log(`${scope.beyond.length} more test files are reached but need a server; npm test runs them`);
  }
  return gates && tests;
}

async function findScope(): Promise<Scope> {
  const suite = await readSuite();
  const split = (files: readonly TestFile[], lint: readonly string[]): Scope => ({
    lint,
    tests: files.filter(({ kind }) => kind === 'unit'),
    beyond: files.filter(({ kind }) => kind !== 'unit'),
  });
  if (values.all) return split(suite.files, ['.']);
  if (positionals.length > 0) {
    const found = suite.files.filter(({ file }) => positionals.some((part) => file.includes(part)));
    if (found.length === 0) throw new Error(`no test file path contains any of: ${positionals.join(' ')}`);
    return split(
      found,
      [...suite.sources.keys()].filter((file) => positionals.some((part) => file.includes(part))),
    );
  }
  const changed = changedFiles();
  if (changed.length === 0) console.log('no changes since the merge base; --all checks the whole tree');
  return split(
    reachedTests(suite, changed),
    changed.filter((file) => file.endsWith('.ts')),
  );
}

async function check({ lint }: Scope, signal: AbortSignal): Promise<boolean> {
  const buildInfo = cacheFolder(process.env, 'types', `${encodeURIComponent(ROOT)}.tsbuildinfo`);
  const gates: Gate[] = [{ name: 'types', command: ['tsc', '--incremental', '--tsBuildInfoFile', buildInfo] }];
  if (lint.length > 0) gates.push({ name: 'lint', command: ['oxlint', ...lint] });
  return await runGates({ gates, cwd: ROOT, concurrency: gates.length, print: console.log }, signal);
}

async function test(files: readonly TestFile[], signal: AbortSignal): Promise<boolean> {
  if (files.length === 0) return true;
  const recorded = new Records(process.env).expected();
  const result = await runTests(
    {
      files,
      recorded: (file) => recorded[file],
      nodeFlags: [],
      seed: process.env['FLEETSHIFT_TEST_SEED'] ?? '20260101',
      timeoutMs: 60_000,
      slots: availableParallelism(),
      print: console.log,
    },
    signal,
  );
  const tests = result.files.flatMap((file) => file.tests);
  console.log(`${tests.filter(({ outcome }) => outcome === 'passed').length} tests passed in ${files.length} files`);
  return result.files.every(hasPassed);
}

/** Changes made while it runs are picked up by the next run. */
async function again(): Promise<void> {
  for (;;) {
    await nextChange();
    await once();
  }
}

function nextChange(): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(ROOT, { recursive: true }, (_, file) => {
      if (file === null || /(^|\/)(node_modules|dist|\.git|\.fleetshift)(\/|$)/.test(file)) return;
      watcher.close();
      resolve();
    });
  });
}
