import type { Platform } from '#testing/platform-process';
import { COMMANDS } from '../../apps/cli/commands.ts';
import { runCli } from '../../apps/cli/run-cli.ts';

export interface Printed {
  readonly code: number;
  readonly text: string;
}

export interface CliCall {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Stops the command once it has printed enough. */
  readonly isEnough?: (text: string) => boolean;
}

/** Runs the CLI in this process: hundreds of calls would otherwise be hundreds of processes. */
export async function runCliHere({ args, environment, isEnough }: CliCall): Promise<Printed> {
  const stop = new AbortController();
  let text = '';
  const print = (said: string): void => {
    text += said;
    if (isEnough?.(text) === true) stop.abort();
  };
  const io = { out: print, err: print, errIsTerminal: false, environment };
  const code = await runCli(args, { commands: COMMANDS, io }, stop.signal);
  return { code, text };
}

/** The environment of a caller that has only a token; `home` is an empty folder. */
export function environmentOf({ url }: Platform, token: string, home: string): Readonly<Record<string, string>> {
  return { HOME: home, FLEETSHIFT_SERVER: url, FLEETSHIFT_TOKEN: token };
}
