import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, findGoProgram, fingerprint } from '#testing/go-program';
import type { BenchContext } from '../figure.ts';
import type { Orders, Outcome } from './orders.ts';

/** One of the clients. Each runs as a separate process, so that the others affect neither its memory nor its speed. */
export interface Program {
  readonly name: 'ours' | 'client-node' | 'client-go';
  readonly run: (orders: Orders, signal: AbortSignal) => Promise<Outcome>;
}

export async function findPrograms(context: BenchContext): Promise<Program[]> {
  const ours = nodeProgram('ours', new URL('./our-program.ts', import.meta.url));
  const theirs = nodeProgram('client-node', new URL('./client-node-program.ts', import.meta.url));
  const go = await goProgram(context);
  return go === undefined ? [ours, theirs] : [ours, theirs, go];
}

function nodeProgram(name: Program['name'], url: URL): Program {
  return { name, run: (orders, signal) => run([process.execPath, '--expose-gc', url.pathname], orders, signal) };
}

async function goProgram(context: BenchContext): Promise<Program | undefined> {
  const log = (line: string): void => context.log(line);
  const cwd = join(import.meta.dirname, 'client-go');
  const sources = ['go.mod', 'go.sum', 'main.go'].map((file) => readFileSync(join(cwd, file), 'utf8'));
  const file = join(cacheFolder(process.env, 'bench', `client-go-${fingerprint(sources)}`), 'client-go-bench');
  if (context.quick && !existsSync(file)) {
    log('client-go: not measured, since a quick run has no time to build it; run it once without --quick');
    return undefined;
  }
  const source = { module: cwd, package: '.' };
  const program = { title: 'the client-go side of the bench', file, takes: 'about two minutes', source };
  const found = await findGoProgram(program, { log, env: process.env });
  if (found === undefined) log('client-go: not measured, since there is no Go on this machine to build it with');
  return found === undefined ? undefined : { name: 'client-go', run: (orders, signal) => run([found], orders, signal) };
}

async function run([program = '', ...args]: readonly string[], orders: Orders, signal: AbortSignal): Promise<Outcome> {
  const { stdout } = await promisify(execFile)(program, [...args, JSON.stringify(orders)], { signal });
  return JSON.parse(stdout) as Outcome;
}
