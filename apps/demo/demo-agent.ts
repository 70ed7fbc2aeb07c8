import { spawn } from 'node:child_process';
import type { Environment } from '#kit/config';
import type { Logger } from '#kit/telemetry';
import type { PlatformConfig } from '../platform/config.ts';
import { demoFolder, demoTargets } from './demo-fleet.ts';

export interface DemoAgentOptions {
  /** How this program was started: the agent is the same program with another command. */
  readonly program: readonly string[];
  readonly socket: string;
  /** Which agent, and what it is told beside where the platform is. */
  readonly words: readonly string[];
  /** Of the platform. */
  readonly environment: Environment;
  readonly logFormat: PlatformConfig['logFormat'];
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

/** An agent refuses a variable that it has no setting for, such as FLEETSHIFT_DATA of the platform; its own come as flags. */
function withoutSettings(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('FLEETSHIFT_')));
}
