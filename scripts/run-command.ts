import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { ROOT } from './repository.ts';

export interface Outcome {
  readonly code: number;
  /** Both streams, interleaved as they came. */
  readonly output: string;
  readonly ms: number;
}

export interface Place {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Runs a program of this repository to its end. Its output is captured, not shown; a non-zero exit code is not an error
 * here.
 */
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

/** Puts the installed tools and the pinned Node first, also when a script is not called by npm. */
export function withOurPrograms(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...env,
    PATH: `${join(ROOT, 'node_modules', '.bin')}${delimiter}${env['PATH'] ?? ''}`,
    // A test runner started by a test must not take itself for one of the outer runner's processes.
    NODE_TEST_CONTEXT: undefined,
  };
}
