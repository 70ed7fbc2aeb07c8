import { spawn } from 'node:child_process';
import type { Logger } from '#kit/telemetry';
import { demoFolder, demoTargets } from './demo-fleet.ts';

export interface DemoAgentOptions {
  /** How this program was started: the agent is the same program with another command. */
  readonly program: readonly string[];
  readonly socket: string;
  /** Which agent, and what it is told beside where the platform is. */
  readonly words: readonly string[];
  readonly log: Logger;
}

const STOP_MS = 4_000;

/** For all folders of the demo. */
export function folderAgent(dataFolder: string): readonly string[] {
  const targets = demoTargets().map(({ name }) => `${name}=${demoFolder(dataFolder, name)}`);
  return ['directory', '--target', targets.join(',')];
}

/** For all clusters of the demo, whose contexts have the names of the targets. */
export function clusterAgent(kubeconfig: string, names: readonly string[]): readonly string[] {
  return ['kubernetes', '--kubeconfig', kubeconfig, '--target', names.map((name) => `${name}=${name}`).join(',')];
}

/**
 * An agent of demo targets, as a process of its own. It has a pipe to us as its standard input, and ends with it: not
 * even a kill leaves it behind.
 */
export async function runDemoAgent(options: DemoAgentOptions, signal: AbortSignal): Promise<void> {
  const { program, socket, words, log } = options;
  const [command = process.execPath, ...args] = program;
  const flags = ['--fleetlet-socket', socket, '--log-level', 'warn', '--stop-with-stdin'];
  const child = spawn(command, [...args, 'agent', ...words, ...flags], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => {
    child.on('error', (err) => {
      log.error({ err }, 'the agent of the demo cannot be started');
      resolve(null);
    });
    child.on('exit', resolve);
  });
  // It may be gone already when it is told to go.
  child.stdin.on('error', () => {});
  const stop = (): void => {
    child.stdin.end();
    setTimeout(() => child.kill('SIGKILL'), STOP_MS).unref();
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const code = await ended;
  if (!signal.aborted) log.warn({ code: String(code) }, 'the agent of the demo ended; its targets are away');
}
