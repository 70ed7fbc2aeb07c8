import { readFileSync } from 'node:fs';
import { helpText } from '#kit/config';
import { type DemoAddress, runDemo } from '../../../demo/command.ts';
import { platformProcess, runPlatform } from '../../../platform/command.ts';
import { type Command, EXIT, type Io, UsageError } from '../../command.ts';
import { withContext } from '../../config-file/cli-config.ts';
import { changeConfigFile, configFilePath } from '../../config-file/config-file.ts';
import { configOf, surroundingsOf } from './start-process.ts';

const CONTEXT = 'demo';
const FLAG = '--kubernetes';
const USUAL = 2;
const MOST = 9;

export const demo: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift demo [--kubernetes [N]] [flags]',
      summary: `Runs a platform with a sample fleet: some folders of this machine, and an application on all of them.
It prints what to do next. Ctrl-C stops it, and the next run continues where it stopped.

With --kubernetes it adds N real control planes, default 2, with simulated nodes and Pods. This needs a checkout
of the sources and the Kubernetes programs that its tests use.`,
      settings: platformProcess.settings,
    }),
  async run(words, io, signal) {
    const { count: kubernetes, rest: args } = kubernetesFlag(words);
    const config = configOf(platformProcess, args, io);
    if (config === undefined) return EXIT.ok;
    const surroundings = surroundingsOf(io);
    await runDemo(
      {
        ...surroundings,
        config,
        servePlatform: (onServing, stop) => runPlatform({ config, ...surroundings, onServing }, stop),
        program: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
        command: commandOf(io.environment),
        currentFolder: process.cwd(),
        kubernetes,
        keepAddress: (address, stop) => keepContext(io, address, stop),
        show: (text) => io.out(text),
      },
      signal,
    );
    return EXIT.ok;
  },
};

/** Parses `--kubernetes`, `--kubernetes 3` or `--kubernetes=3`, and returns the other arguments. */
export function kubernetesFlag(args: readonly string[]): { readonly count: number; readonly rest: readonly string[] } {
  const at = args.findIndex((arg) => arg === FLAG || arg.startsWith(`${FLAG}=`));
  const given = args[at];
  if (given === undefined) return { count: 0, rest: args };
  const next = args[at + 1];
  const isNext = given === FLAG && next !== undefined && !next.startsWith('-');
  const said = given === FLAG ? (isNext ? next : String(USUAL)) : given.slice(FLAG.length + 1);
  const count = /^\d$/.test(said) ? Number(said) : 0;
  if (count < 1) throw new UsageError(`${FLAG} ${said}: is not a number of clusters, from 1 to ${MOST}`);
  return { count, rest: args.toSpliced(at, isNext ? 2 : 1) };
}

/**
 * Creates a context for the following commands. If another platform is current, it stays current and the context must
 * be named.
 */
async function keepContext(
  io: Io,
  { server, workspace, token, authorityFile }: DemoAddress,
  signal: AbortSignal,
): Promise<string | undefined> {
  const credentials = { kind: 'token', token: token.reveal() } as const;
  const ca = authorityFile && { ca: readFileSync(authorityFile, 'utf8') };
  const context = { name: CONTEXT, server, workspace, credentials, ...ca };
  return await changeConfigFile(
    configFilePath(io.environment),
    async (config, write) => {
      const { currentContext = CONTEXT } = config;
      write({ ...withContext(config, context), currentContext });
      return currentContext === CONTEXT ? undefined : CONTEXT;
    },
    signal,
  );
}

/** The name of this command here; npm sets a variable in a checkout. */
function commandOf({ npm_lifecycle_event: script }: Readonly<Record<string, string | undefined>>): string {
  return script === 'start' ? 'bin/fleetshift' : 'fleetshift';
}
