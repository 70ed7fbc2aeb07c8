import { spawn } from 'node:child_process';
import type { Environment } from '#kit/config';
import { sleep as realSleep, type Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { LogConfig } from '#runtime/process/process-command';
import { demoFolder, demoTargets } from './demo-fleet.ts';

export interface DemoAgentOptions {
  /** Command line of this program: the agent is the same program with another command. */
  readonly program: readonly string[];
  readonly socket: string;
  /** Which agent, and its arguments besides the address of the platform. */
  readonly words: readonly string[];
  /** Environment of the platform. */
  readonly environment: Environment;
  readonly logFormat: LogConfig['logFormat'];
  readonly log: Logger;
  readonly sleep?: Sleep;
}

const STOP_MS = 4_000;
const RESTART_MS = 1_000;

/** Arguments of the agent for all folders of the demo. */
export function folderAgent(dataFolder: string): readonly string[] {
  const targets = demoTargets().map(({ name }) => `${name}=${demoFolder(dataFolder, name)}`);
  return ['directory', '--target', targets.join(',')];
}

/** Arguments of the agent for all clusters of the demo, whose contexts are named like the targets. */
export function clusterAgent(kubeconfig: string, names: readonly string[]): readonly string[] {
  return ['kubernetes', '--kubeconfig', kubeconfig, '--target', names.map((name) => `${name}=${name}`).join(',')];
}

/** Runs an agent of demo targets until the signal aborts. An agent that ends, or is killed, is started again. */
export async function runDemoAgent(options: DemoAgentOptions, signal: AbortSignal): Promise<void> {
  const { log, sleep = realSleep } = options;
  while (!signal.aborted) {
    const code = await runOnce(options, signal);
    if (signal.aborted) return;
    log.warn({ code: String(code), retryInMs: RESTART_MS }, 'demo agent ended; restarting');
    await sleep(RESTART_MS, signal).catch(() => {});
  }
}

/**
 * Runs the agent as a separate process until it ends; returns its exit code. Its standard input is a pipe from this
 * process, and it stops when the pipe closes: it ends even if this process is killed.
 */
async function runOnce(options: DemoAgentOptions, signal: AbortSignal): Promise<number | null> {
  const { program, socket, words, environment, logFormat, log } = options;
  const [command = process.execPath, ...args] = program;
  const flags = ['--fleetlet-socket', socket, '--log-level', 'warn', '--stop-with-stdin'];
  if (logFormat !== undefined) flags.push('--log-format', logFormat);
  const child = spawn(command, [...args, 'agent', ...words, ...flags], {
    stdio: ['pipe', 'ignore', 'inherit'],
    env: withoutSettings(environment),
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on('error', (err) => {
      log.error({ err }, 'demo agent failed to start');
      resolve(null);
    });
    child.on('exit', resolve);
  });
  // The child may have ended already when its input is closed.
  child.stdin.on('error', () => {});
  const stop = (): void => {
    child.stdin.end();
    setTimeout(() => child.kill('SIGKILL'), STOP_MS).unref();
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await ended;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * An agent refuses variables that are not its settings, such as FLEETSHIFT_DATA of the platform; its own are passed as
 * flags.
 */
function withoutSettings(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('FLEETSHIFT_')));
}
