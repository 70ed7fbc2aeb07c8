import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { capiManager } from '#testing/capi';
import { findHelm } from '#testing/helm';
import { startPostgres } from '#testing/postgres';
import { CLUSTERS, startRunClusters } from '../testing/clusters/run-clusters.ts';
import { SHARED_SERVER, startSharedServer } from '../testing/temporal/test-namespace.ts';
import { findFiles, ROOT } from './repository.ts';
import { withOurPrograms } from './run-command.ts';

/**
 * npm test                          every suite
 * npm test -- kit/storage           files whose path contains it; several may be named
 * npm test -- --test-name-pattern=x what begins with a dash goes to `node --test`
 *
 * Environment: FLEETSHIFT_TEST_SEED; FLEETSHIFT_TEST_TIMEOUT_MS, for a file, of which one test may take half;
 * FLEETSHIFT_TEST_POSTGRES_URL, a server to use instead of a fresh one.
 */
const SEED = process.env['FLEETSHIFT_TEST_SEED'] ?? '20260101';
const TIMEOUT_MS = Number(process.env['FLEETSHIFT_TEST_TIMEOUT_MS'] ?? 300_000);

const begun = performance.now();
const args = process.argv.slice(2);
const flags = args.filter((arg) => arg.startsWith('-'));
const files = await selectFiles(args.filter((arg) => !arg.startsWith('-')));
if (files.length === 0) {
  console.error(`no test file has one of these in its path: ${args.join(' ')}`);
  process.exitCode = 1;
} else {
  process.exitCode = await runWithServers();
  console.log(`${files.length} files in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

async function selectFiles(wanted: readonly string[]): Promise<string[]> {
  const all = await findFiles('**/*.test.ts');
  return wanted.length === 0 ? all : all.filter((file) => wanted.some((part) => file.includes(part)));
}

/** One server of each kind for all test files: each makes databases and namespaces of its own in it. */
async function runWithServers(): Promise<number> {
  const servers = new AsyncDisposableStack();
  try {
    const given = process.env['FLEETSHIFT_TEST_POSTGRES_URL'];
    const postgres = given ? undefined : await startPostgres({ log: console.log });
    servers.defer(async () => await postgres?.stop());
    // Before any file has its deadline running: on a machine that has not built the programs yet, that takes minutes.
    const needsTemporal = files.some((file) => file.includes('temporal'));
    const temporal = needsTemporal ? await startSharedServer(console.log) : undefined;
    servers.defer(async () => await temporal?.stop());
    const clusters = await startRunClusters(
      files.map((file) => join(ROOT, file)),
      console.log,
    );
    servers.defer(async () => await clusters?.stop());
    if (isNamed('testing/helm')) await findHelm({ log: console.log });
    if (isNamed('testing/capi')) await capiManager(console.log);
    const { address, http } = temporal ?? {};
    return await runTests({
      FLEETSHIFT_TEST_POSTGRES_URL: given || postgres?.url,
      ...(temporal && { [SHARED_SERVER]: JSON.stringify({ address, http }) }),
      ...(clusters && { [CLUSTERS]: clusters.socket }),
    });
  } finally {
    await servers.disposeAsync();
  }
}

function isNamed(door: string): boolean {
  return files.some((file) => readFileSync(join(ROOT, file), 'utf8').includes(door));
}

async function runTests(servers: NodeJS.ProcessEnv): Promise<number> {
  console.log(`seed ${SEED} (FLEETSHIFT_TEST_SEED)`);
  const child = spawn(process.execPath, [...runnerFlags(), ...flags, ...files], {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...withOurPrograms(process.env),
      ...servers,
      FLEETSHIFT_TEST_SEED: SEED,
      FLEETSHIFT_TEST_TIMEOUT_MS: String(TIMEOUT_MS),
    },
  });
  // Ctrl-C in a terminal reaches the child by itself; what is sent to this process alone is handed on.
  const handOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGINT', handOn).on('SIGTERM', handOn);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

function runnerFlags(): string[] {
  return [
    `--import=${import.meta.resolve('./test-deadline.ts')}`,
    '--test',
    '--test-reporter=spec',
    `--test-concurrency=${availableParallelism()}`,
    `--test-timeout=${Math.ceil(TIMEOUT_MS / 2)}`,
  ];
}
