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
  /** It is stopped once it has printed enough. */
  readonly isEnough?: (text: string) => boolean;
}

/** The command in this process: hundreds of calls are no hundreds of processes. */
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

/** A caller with a token and nothing else; `home` is an empty folder. */
export function environmentOf({ url }: Platform, token: string, home: string): Readonly<Record<string, string>> {
  return { HOME: home, FLEETSHIFT_SERVER: url, FLEETSHIFT_TOKEN: token };
}
