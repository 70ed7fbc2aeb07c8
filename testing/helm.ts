import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, findGoProgram, hasGo } from './go-program.ts';
import { logToStderr } from './log-to-stderr.ts';
import { PATIENCE_MS } from './patience.ts';

const HELM_VERSION = 'v4.3.1';
const SOURCE = `helm.sh/helm/v4/cmd/helm@${HELM_VERSION}`;

export interface FindHelmOptions {
  /** Told what is being done, a line at a time: a build takes minutes. */
  readonly log: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
}

export interface HelmCall {
  readonly args: readonly string[];
  /** For its settings and caches: nothing of the user's own. */
  readonly folder: string;
  /** The file; commands like `template` need none. */
  readonly kubeconfig?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}

export interface HelmResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Null when it was ended by the signal. */
  readonly code: number | null;
}

/** Why there is no Helm here, or undefined. What can be built is not missing. */
export function helmUnavailable(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (existsSync(helmFile(env)) || hasGo(env)) return undefined;
  return `there is no Helm ${HELM_VERSION} in ${cacheFolder(env, 'helm')}, and no Go to build it with`;
}

/** The real Helm, built when it is missing. `undefined` where there is neither the program nor Go to build it with. */
export async function findHelm({ log, env = process.env }: FindHelmOptions): Promise<string | undefined> {
  return await findGoProgram(
    {
      title: `Helm ${HELM_VERSION}`,
      file: helmFile(env),
      takes: 'about three minutes',
      build: (folder) => ({ args: ['install', SOURCE], env: { GOBIN: folder } }),
    },
    { log, env },
  );
}

/** An exit code is an answer. */
export async function runHelm({ args, folder, kubeconfig, env, signal }: HelmCall): Promise<HelmResult> {
  const program = await findHelm({ log: logToStderr });
  if (program === undefined) throw new Error(`run helm: ${helmUnavailable() ?? 'it is not there'}`);
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

function helmFile(env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env, 'helm', HELM_VERSION), 'helm');
}
