import { writeFileSync } from 'node:fs';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { changesBetween, type FolderState, folderState } from '#testing/checkout-guard';
import { ROOT } from './repository.ts';
import { junit } from './tests/junit.ts';
import type { TestFile } from './tests/needs.ts';
import { Records, slowerFiles } from './tests/records.ts';
import { type FileResult, hasPassed } from './tests/run-job.ts';
import { runTests } from './tests/run-tests.ts';
import { readSuite } from './tests/select.ts';
import { summaryLines } from './tests/summary.ts';
import { missingLine, missingTools, REQUIRE, requiredBy, requiredTools } from './tests/tools.ts';

const USAGE = `npm test                        run every suite
npm test -- kit/storage         run the files whose path contains this; may be repeated
npm test -- --failed            run the files that failed in the last run
npm test -- --servers           run the files that need a server
npm test -- --list              print file and full name of every test of the last run
npm test -- --jobs 2            number of concurrent processes (default: two per core)
npm test -- --junit FILE        also write the results as JUnit XML
npm test -- --test-name-pattern=x   options that begin with --test- go to node's test runner

Environment: FLEETSHIFT_TEST_SEED; FLEETSHIFT_TEST_SHARE; FLEETSHIFT_TEST_TIMEOUT_MS, per file; a single test
may take half of it; FLEETSHIFT_TEST_DATABASES; FLEETSHIFT_TEST_POSTGRES_URL, a server to use instead of a fresh one;
FLEETSHIFT_TEST_REQUIRE, programs whose absence fails the run: chromium,zsh,fish,go.
`;

const OPTIONS = {
  failed: { type: 'boolean', default: false },
  servers: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
  jobs: { type: 'string' },
  junit: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

const SEED = process.env['FLEETSHIFT_TEST_SEED'] ?? '20260101';
const TIMEOUT_MS = Number(process.env['FLEETSHIFT_TEST_TIMEOUT_MS'] ?? 600_000);

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

async function main(args: readonly string[]): Promise<number> {
  const nodeFlags = args.filter((arg) => arg.startsWith('--test-'));
  const { values, positionals } = parseArgs({
    args: args.filter((arg) => !arg.startsWith('--test-')),
    options: OPTIONS,
    allowPositionals: true,
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const records = new Records(process.env);
  if (values.list) return printList(records);
  const required = requiredTools(process.env);
  const missing = missingTools(process.env);
  for (const tool of missing) console.log(missingLine(tool));
  const absent = required.filter((tool) => missing.includes(tool));
  if (absent.length > 0) throw new Error(`${REQUIRE} asks for ${absent.join(', ')}, which this machine does not have`);

  const files = selected((await readSuite()).files, {
    parts: positionals,
    failed: values.failed ? records.failedFiles() : undefined,
    servers: values.servers,
  });
  if (files.length === 0) throw new Error(`no test file is selected by: ${args.join(' ')}`);
  return await run(files, { records, nodeFlags, required, ...values });
}

interface Selection {
  readonly parts: readonly string[];
  readonly failed: readonly string[] | undefined;
  readonly servers: boolean;
}

function selected(files: readonly TestFile[], { parts, failed, servers }: Selection): TestFile[] {
  return files
    .filter(({ file }) => parts.length === 0 || parts.some((part) => file.includes(part)))
    .filter(({ file }) => failed === undefined || failed.includes(file))
    .filter(({ kind }) => !servers || kind !== 'unit');
}

interface Settings {
  readonly records: Records;
  readonly nodeFlags: readonly string[];
  readonly required: ReturnType<typeof requiredTools>;
  readonly jobs?: string | undefined;
  readonly junit?: string | undefined;
}

async function run(files: readonly TestFile[], settings: Settings): Promise<number> {
  const { records, nodeFlags, required } = settings;
  console.log(`seed ${SEED} (FLEETSHIFT_TEST_SEED)`);
  const begun = performance.now();
  const before = folderState(ROOT);
  const recorded = records.durations();
  const expected = records.expected();
  const result = await runTests(
    {
      files,
      nodeFlags,
      seed: SEED,
      timeoutMs: TIMEOUT_MS,
      recorded: (file) => expected[file],
      print: console.log,
      ...(settings.jobs !== undefined && { slots: wholeNumber('--jobs', settings.jobs) }),
    },
    stopSignal(),
  );
  const ms = performance.now() - begun;
  const unmet = [...unmetRequirements(result.files, required), ...strayChanges(before)];
  const isGreen = result.files.every(hasPassed) && unmet.length === 0;
  const slower = slowerFiles(result.files, recorded);
  // A partial run says nothing about the duration of a full one.
  records.keep({ seed: SEED, ms, files: result.files, cpu: result.cpu }, isGreen && nodeFlags.length === 0);
  if (settings.junit !== undefined) writeFileSync(settings.junit, junit(result.files));
  for (const line of unmet) console.log(line);
  const { resultsFile } = records;
  for (const line of summaryLines({ ...result, ms, slower, seed: SEED, resultsFile })) console.log(line);
  return isGreen ? 0 : 1;
}

function unmetRequirements(files: readonly FileResult[], required: Settings['required']): string[] {
  return files.flatMap(({ file, tests }) =>
    tests
      .filter(({ reason = '' }) => requiredBy(reason, required).length > 0)
      .map(({ path, reason }) => `skipped although ${REQUIRE} asks for it: ${file}: ${path.join(' > ')}: ${reason}`),
  );
}

/** In CI only the tests can have changed the checkout; elsewhere a person may be working in it. */
function strayChanges(before: FolderState): string[] {
  if (!process.env['CI']) return [];
  return changesBetween(before, folderState(ROOT)).map((change) => `the tests changed the checkout: ${change}`);
}

function printList(records: Records): number {
  for (const line of records.listed()) console.log(line);
  return 0;
}

/** Ctrl-C reaches the test processes directly; signals sent to this process alone end them too. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => stop.abort(new Error(`stopped by ${name}`)));
  }
  return stop.signal;
}

function wholeNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new Error(`${option} is "${text}": use a whole number from 1`);
  return Number(text);
}
