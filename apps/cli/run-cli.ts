import { type CommandEntry, EXIT, type ExitCode, type Io, UsageError } from './command.ts';

export interface CliDeps {
  readonly commands: readonly CommandEntry[];
  readonly io: Io;
}

/** Finds and runs the command, and turns whatever it throws into a message and an exit code. */
export async function runCli(args: readonly string[], deps: CliDeps, signal: AbortSignal): Promise<ExitCode> {
  const [first, ...rest] = args;
  const word = ALIASES[first ?? ''] ?? first;
  try {
    if (word === undefined) throw new UsageError(`missing command\n\n${overview(deps.commands).trimEnd()}`);
    if (word === 'help') return await help(rest, deps);
    const { load } = await find(word, deps.commands);
    const command = await load();
    if (asksForHelp(rest)) {
      deps.io.out(command.help());
      return EXIT.ok;
    }
    return await command.run(rest, deps.io, signal);
  } catch (error) {
    if (signal.aborted && isAnswer(error, signal)) return EXIT.interrupted;
    const { exitCodeOf, explain } = await import('./exit-code-of.ts');
    deps.io.err(`${['fleetshift', word].filter(Boolean).join(' ')}: ${explain(error)}\n`);
    return exitCodeOf(error);
  }
}

const ALIASES: Readonly<Record<string, string>> = { '--help': 'help', '-h': 'help', '--version': 'version' };

async function help([name]: readonly string[], { commands, io }: CliDeps): Promise<ExitCode> {
  io.out(name === undefined ? overview(commands) : (await (await find(name, commands)).load()).help());
  return EXIT.ok;
}

async function find(name: string, commands: readonly CommandEntry[]): Promise<CommandEntry> {
  const found = commands.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  const { suggestion } = await import('#kit/config');
  const names = [...commands.filter(({ hidden }) => !hidden).map((entry) => entry.name), 'help'];
  throw new UsageError(`unknown command${suggestion(name, names)}\nfleetshift help lists all commands`);
}

function overview(commands: readonly CommandEntry[]): string {
  const shown = commands.filter(({ hidden }) => !hidden);
  const entries = [...shown, { name: 'help [command]', summary: 'show this text, or the help of a command' }];
  const column = Math.max(...entries.map(({ name }) => name.length)) + 2;
  const lines = entries.map(({ name, summary }) => `  ${name.padEnd(column)}${summary}`);
  return [
    'FleetShift manages fleets of Kubernetes clusters.',
    '',
    'Usage: fleetshift <command> [flags]',
    '',
    ...lines,
    '',
  ].join('\n');
}

/** Arguments after `--` belong to the command. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? undefined : end).some((arg) => arg === '--help' || arg === '-h');
}

/** The command was stopped early; only the reason is shown. */
function isAnswer(error: unknown, { reason }: AbortSignal): boolean {
  return error === reason || (error instanceof Error && error.name === 'AbortError');
}
