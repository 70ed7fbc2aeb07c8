import { readFileSync } from 'node:fs';
import { resolveFleetletConfig } from '#runtime/fleetlet/config';
import { runFleetlet } from '#runtime/fleetlet/run';

/** `fleetshift fleetlet` with short reconnect delays: its connection is cut all the time. */
const environment = {};
const readText = (path: string): string => readFileSync(path, 'utf8');
const { values: config } = resolveFleetletConfig({ args: process.argv.slice(2), environment, readText });
const err = { write: (text: string) => void process.stderr.write(text), isTerminal: false };
const pace = { baseMs: 20, capMs: 100, stableMs: 500, refusedMs: 100, connectWithinMs: 2_000, openWithinMs: 1_000 };
process.on('disconnect', () => process.exit());
await runFleetlet({ config, version: '1.2.3', environment, err, pace }, new AbortController().signal);
