import { readFileSync } from 'node:fs';
import { resolvePlatformConfig } from '../apps/platform/config.ts';
import { runPlatform } from '../apps/platform/run.ts';

/**
 * `fleetshift serve` with simulated targets on either database, started by tests as a separate process. The product
 * offers them on SQLite only, since each of several processes would have its own fleet; here there is one process.
 */
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort(new Error('stopped by SIGTERM')));
const readText = (file: string): string => readFileSync(file, 'utf8');
const { values } = resolvePlatformConfig({ args: process.argv.slice(3), environment: process.env, readText });
const err = { write: (line: string) => void process.stderr.write(line), isTerminal: false };
const config = { ...values, demoFleet: 1 };
await runPlatform({ config, version: '0.0.0', environment: {}, err, terminal: undefined }, stop.signal);
