import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { logToStderr } from '../log-to-stderr.ts';
import { PATIENCE_MS } from '../patience.ts';
import { findProgram } from './programs.ts';

export interface KubectlOptions {
  /** The user to run as; the admin by default. */
  readonly user?: string;
  /** Sent to its standard input. */
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Receives output as it comes, for commands that run until the signal ends them. */
  readonly onStdout?: (text: string) => void;
  readonly signal?: AbortSignal;
}

export interface KubectlResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Null when the signal ended it. */
  readonly code: number | null;
}

export interface KubectlCall {
  readonly args: readonly string[];
  readonly kubeconfig: string;
  readonly folder: string;
}

export async function runKubectl(
  { args, kubeconfig, folder }: KubectlCall,
  options: KubectlOptions,
): Promise<KubectlResult> {
  const program = await findProgram('kubectl', { log: logToStderr, env: process.env });
  const child = spawn(program, args, {
    cwd: folder,
    // Ignores the user's own settings, and keeps caches in the cluster's folder.
    env: { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: kubeconfig, KUBERC: 'off', ...options.env },
  });
  const limit = AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), ...(options.signal ? [options.signal] : [])]);
  const end = (): void => void child.kill('SIGKILL');
  limit.addEventListener('abort', end, { once: true });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    options.onStdout?.(text);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => {}).end(options.input ?? '');
  if (limit.aborted) end();
  const [code] = (await once(child, 'close')) as [number | null];
  limit.removeEventListener('abort', end);
  return { stdout, stderr, code };
}
