import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface DemoClusters {
  /** Has one context per cluster, with its name. */
  readonly kubeconfig: string;
  /** Path of the kubectl program. */
  readonly kubectl: string;
  /** Resolves when they have ended, whether requested or not. */
  readonly ended: Promise<void>;
}

export type StartedClusters =
  | { readonly kind: 'started'; readonly clusters: DemoClusters }
  /** Includes what would help. */
  | { readonly kind: 'missing'; readonly why: string };

export interface StartClustersOptions {
  readonly dataFolder: string;
  readonly names: readonly string[];
  /** Command that runs the sources. */
  readonly node: readonly string[];
}

/**
 * DECISION: the code that starts control planes belongs to the tests and is not shipped. So the demo starts it by its
 * path, and only a checkout can show clusters: the Kubernetes programs are not ours to distribute. (ADR-0035)
 */
const HOST = new URL('../../testing/demo-clusters/host.ts', import.meta.url);
const STOP_MS = 10_000;

function clustersFolder(dataFolder: string): string {
  return join(dataFolder, 'demo', 'kubernetes');
}

/**
 * Starts real control planes with simulated nodes. They stop with the signal, or with this process, even if it is
 * killed.
 */
export async function startDemoClusters(
  { dataFolder, names, node: [program = process.execPath, ...flags] }: StartClustersOptions,
  signal: AbortSignal,
): Promise<StartedClusters> {
  const host = fileURLToPath(HOST);
  if (!existsSync(host)) return { kind: 'missing', why: 'they come with a checkout of the sources: npm start there' };
  const child = spawn(program, [...flags, host, clustersFolder(dataFolder), ...names], {
    // In a separate session: Ctrl-C goes to this process, which stops the clusters in order.
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('error', () => resolve()).once('exit', () => resolve()));
  child.stdin.on('error', () => {});
  const stop = (): void => {
    child.stdin.end();
    setTimeout(() => child.kill('SIGKILL'), STOP_MS).unref();
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  for await (const line of createInterface({ input: child.stdout })) return read(line, ended);
  signal.throwIfAborted();
  return { kind: 'missing', why: 'they did not start' };
}

function read(line: string, ended: Promise<void>): StartedClusters {
  const said = JSON.parse(line) as Partial<Record<'missing' | 'kubeconfig' | 'kubectl', string>>;
  const { missing, kubeconfig = '', kubectl = '' } = said;
  if (missing === undefined) return { kind: 'started', clusters: { kubeconfig, kubectl, ended } };
  const build = 'with Go, "npm test -- testing/clusters" builds them once, in about six minutes';
  return { kind: 'missing', why: `${missing}; ${build}` };
}
