import { helpText } from '#kit/config';
import { type DemoPlace, runDemo } from '../../../demo/command.ts';
import { platformProcess, runPlatform } from '../../../platform/command.ts';
import { type Command, EXIT, type Io, UsageError } from '../../command.ts';
import { configFilePath, readConfigFile } from '../../config-file/config-file.ts';
import { configOf, surroundingsOf } from './start-process.ts';

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
        isElsewhere: (place) => isElsewhere(io, place),
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
 * The commands of this folder find the platform by its data folder, and its default workspace as well, so the configuration of
 * the user stays as it is. A context that is current there goes first, and the commands must name what they mean.
 */
function isElsewhere(io: Io, { server, workspace }: DemoPlace): boolean {
  const { contexts, currentContext } = readConfigFile(configFilePath(io.environment));
  const current = contexts.find(({ name }) => name === currentContext);
  return current !== undefined && (new URL(current.server).origin !== server || current.workspace !== workspace);
}

/** The name of this command here; npm sets a variable in a checkout. */
function commandOf({ npm_lifecycle_event: script }: Readonly<Record<string, string | undefined>>): string {
  return script === 'start' ? 'bin/fleetshift' : 'fleetshift';
}
