import type { Environment, Resolved, Settings, Values } from '#kit/config';
import { createLogger, type Logger, type LogLevel } from '#kit/telemetry';

/** Where the settings of a process come from. */
export interface ConfigSources {
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly readText: (path: string) => string;
}

/** What a process gets from the program that starts it. */
export interface Surroundings {
  readonly version: string;
  readonly environment: Environment;
  /** Destination of the logs. */
  readonly err: { write(text: string): void; readonly isTerminal: boolean };
  /** The terminal of a person, if any: its output is not part of the log. */
  readonly terminal?: { write(text: string): void } | undefined;
}

/** A process, as far as a program must know it to start it. */
export interface ProcessCommand<S extends Settings> {
  readonly settings: S;
  resolve(sources: ConfigSources): Resolved<S>;
  /** Runs until the signal aborts. Loads the process on demand: help and invalid settings need none of its code. */
  run(config: Values<S>, surroundings: Surroundings, signal: AbortSignal): Promise<void>;
}

/** Variables of the CLI, which may run in the same shell, and of our own tests: no process refuses them. */
export const IGNORED_VARIABLES = [
  /^FLEETSHIFT_(CONFIG|CONTEXT|SERVER|TOKEN|TOKEN_FILE|CA_FILE|ISSUER|WORKSPACE|PASSPHRASE_FILE)$/,
  /^FLEETSHIFT_TEST_/,
];

export interface LogConfig {
  readonly logLevel: LogLevel;
  readonly logFormat: 'json' | 'pretty' | undefined;
}

/** Text on a terminal and JSON lines elsewhere, unless the settings say which. */
export function processLog({ logLevel, logFormat }: LogConfig, err: Surroundings['err']): Logger {
  const pretty = logFormat === undefined ? err.isTerminal : logFormat === 'pretty';
  return createLogger({ level: logLevel, destination: err, pretty });
}
