import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { hasGo } from './go-program.ts';
import { logToStderr } from './log-to-stderr.ts';
import { PATIENCE_MS } from './patience.ts';
import { hasProgram, prepareProgram, versionOf } from './test-programs.ts';

export interface FindHelmOptions {
  /** Receives progress, line by line: a build takes minutes. */
  readonly log: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
}

export interface HelmCall {
  readonly args: readonly string[];
  /** Holds Helm's settings and caches instead of the user's own. */
  readonly folder: string;
  /** Path of the kubeconfig; commands like `template` need none. */
  readonly kubeconfig?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}

export interface HelmResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Null when the signal ended it. */
  readonly code: number | null;
}

/** The reason why Helm is not available, or undefined. A Helm that can be built counts as available. */
export function helmUnavailable(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (hasProgram('helm', env) || hasGo(env)) return undefined;
  return `Helm ${versionOf('helm')} is not built, and there is no Go to build it with`;
}

/** The path of the real Helm, built when it is missing. `undefined` where neither the program nor Go is available. */
export async function findHelm({ log, env = process.env }: FindHelmOptions): Promise<string | undefined> {
  return await prepareProgram('helm', { log, env });
}

/** A non-zero exit code is returned, not thrown. */
export async function runHelm({ args, folder, kubeconfig, env, signal }: HelmCall): Promise<HelmResult> {
  const program = await findHelm({ log: logToStderr });
  if (program === undefined) throw new Error(`run helm: ${helmUnavailable() ?? 'not found'}`);
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      HELM_CACHE_HOME: join(folder, 'helm-cache'),
      HELM_CONFIG_HOME: join(folder, 'helm-config'),
      HELM_DATA_HOME: join(folder, 'helm-data'),
      ...(kubeconfig && { KUBECONFIG: kubeconfig }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const limit = AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), ...(signal ? [signal] : [])]);
  const end = (): void => void child.kill('SIGKILL');
  limit.addEventListener('abort', end, { once: true });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  }
  if (limit.aborted) end();
  const [code] = (await once(child, 'close')) as [number | null];
  limit.removeEventListener('abort', end);
  return { ...said, code };
}
