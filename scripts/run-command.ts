import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { ROOT } from './repository.ts';

export interface Outcome {
  readonly code: number;
  /** Both streams as they came. */
  readonly output: string;
  readonly ms: number;
}

export interface Place {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a program of this repository to its end. What it says is kept, not shown; ending badly is not a failure here. */
export async function runCommand(command: readonly string[], place: Place, signal: AbortSignal): Promise<Outcome> {
  const [program, ...args] = command;
  if (program === undefined) throw new TypeError('run a command: it is empty');
  const begun = performance.now();
  const child = spawn(program, args, {
    cwd: place.cwd,
    env: withOurPrograms(place.env ?? process.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  child.stderr.on('data', (piece: Buffer) => pieces.push(piece));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? 1, output: Buffer.concat(pieces).toString(), ms: performance.now() - begun };
}

/** The installed tools and the pinned Node come first, also when a script is not called by npm. */
export function withOurPrograms(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...env,
    PATH: `${join(ROOT, 'node_modules', '.bin')}${delimiter}${env['PATH'] ?? ''}`,
    // A test runner that a test starts is none of the runner's own processes.
    NODE_TEST_CONTEXT: undefined,
  };
}
