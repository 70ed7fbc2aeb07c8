import { resolvePlatformConfig } from '../../platform/config.ts';
import { runPlatform } from '../../platform/run.ts';
import { ERRAND_WORKFLOWS } from '../../platform/testing/errand-workflows.ts';

/** `fleetshift serve` with sample workflows, as a process for tests. */
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort(new Error('stopped by SIGTERM')));
const { values } = resolvePlatformConfig({ args: process.argv.slice(2), environment: {}, readText: () => '' });
const err = { write: (line: string) => void process.stderr.write(line), isTerminal: false };
await runPlatform(
  { config: values, version: '0.0.0', environment: {}, err, terminal: undefined, workflows: ERRAND_WORKFLOWS },
  stop.signal,
);
