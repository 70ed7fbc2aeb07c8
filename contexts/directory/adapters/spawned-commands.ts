import { spawn } from 'node:child_process';
import type { CommandRunner } from '../application/ports.ts';

const MAX_OUTPUT = 500;

/** Runs commands as the agent's user, without a shell, in the folder of the target. */
export function spawnedCommands(folder: string): CommandRunner {
  return {
    run: async ({ command, timeoutMs }, signal) => {
      const [program = '', ...args] = command;
      const timeout = AbortSignal.timeout(timeoutMs);
      const said: string[] = [];
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      const child = spawn(program, args, {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
        signal: AbortSignal.any([signal, timeout]),
        killSignal: 'SIGKILL',
      });
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => said.push(text.slice(0, MAX_OUTPUT)));
      }
      child.on('error', (error) => {
        resolve(
          timeout.aborted ? `${program} took longer than ${timeoutMs / 1_000} s` : `${program}: ${error.message}`,
        );
      });
      child.on('close', (code) => {
        const output = said.join('').trim().slice(0, MAX_OUTPUT);
        resolve(code === 0 ? undefined : `${program} exited with code ${code}${output === '' ? '' : `: ${output}`}`);
      });
      return await promise;
    },
  };
}
