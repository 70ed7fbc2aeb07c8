import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { Soak } from '#testing/soak';
import { cacheFolder } from '../testing/go-program.ts';
import { findFiles, ROOT } from './repository.ts';
import { runSoak } from './run-soak.ts';

/**
 * npm run soak -- --list
 * npm run soak -- NAME [--count N] [--seed S]
 *
 * A suite that needs a database creates it with #testing/databases, which starts Postgres on demand.
 */
const SUFFIX = '.soak.ts';
const OPTIONS = {
  list: { type: 'boolean', default: false },
  count: { type: 'string' },
  seed: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

async function main(): Promise<number> {
  // A soak starts and kills hundreds of programs: they share compiled code, as in a full test run.
  process.env['NODE_COMPILE_CACHE'] ??= cacheFolder(process.env, 'tests', 'compiled');
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const files = await findSoaks();
  const [name] = positionals;
  if (values.list || name === undefined) return await printList(files);
  const file = files.get(name);
  if (file === undefined) throw new Error(`unknown soak ${name}: the soaks are ${[...files.keys()].join(', ')}`);

  const soak = await load(file);
  const count = wholeNumber('--count', values.count) ?? soak.defaultCount;
  const seed = wholeNumber('--seed', values.seed) ?? Date.now() % 1_000_000;
  const stop = new AbortController();
  const end = (): void => stop.abort(new Error('stopped by a signal'));
  process.once('SIGINT', end).once('SIGTERM', end);
  const passed = await runSoak({ name, soak, count, seed, print: console.log }, stop.signal);
  return passed ? 0 : 1;
}

async function findSoaks(): Promise<Map<string, string>> {
  const soaks = new Map<string, string>();
  for (const file of await findFiles(`**/*${SUFFIX}`)) {
    const name = basename(file, SUFFIX);
    const other = soaks.get(name);
    if (other !== undefined) throw new Error(`two soaks are named ${name}: ${other} and ${file}`);
    soaks.set(name, file);
  }
  return soaks;
}

async function load(file: string): Promise<Soak> {
  const module = (await import(pathToFileURL(join(ROOT, file)).href)) as { soak?: Soak };
  if (module.soak === undefined) throw new Error(`${file} has no export named soak`);
  return module.soak;
}

async function printList(files: ReadonlyMap<string, string>): Promise<number> {
  for (const [name, file] of files) {
    const { description, defaultCount } = await load(file);
    console.log(`${name.padEnd(24)} ${description} (default ${defaultCount}; ${file})`);
  }
  return 0;
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new Error(`${option} is "${text}": use a whole number`);
  return Number(text);
}
