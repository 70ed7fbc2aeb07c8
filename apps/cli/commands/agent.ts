import { readFileSync } from 'node:fs';
import { helpText, printSettings, suggestion } from '#kit/config';
import packageJson from '../../../package.json' with { type: 'json' };
import { DIRECTORY_AGENT_SETTINGS, resolveDirectoryAgentConfig } from '../../directory-agent/config.ts';
import { type Command, EXIT, UsageError } from '../command.ts';

const KINDS = ['directory'] as const;

const SUMMARY = `Runs an agent until SIGTERM or SIGINT: it speaks for targets at the fleetlet next door, and delivers to them.

  directory  writes documents as files below the folder of each target`;

export const agent: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift agent directory --target NAME=FOLDER... [flags]',
      summary: SUMMARY,
      settings: DIRECTORY_AGENT_SETTINGS,
    }),
  async run([kind, ...args], io, signal) {
    if (kind !== 'directory') {
      const known = kind === undefined ? '' : suggestion(kind, KINDS);
      throw new UsageError(
        `${kind === undefined ? 'say which agent' : `there is no agent ${kind}`}: directory${known}`,
      );
    }
    const { environment } = io;
    const readText = (path: string) => readFileSync(path, 'utf8');
    const resolved = resolveDirectoryAgentConfig({ args, environment, readText });
    if (resolved.values.printConfig) {
      io.out(printSettings(DIRECTORY_AGENT_SETTINGS, resolved));
      return EXIT.ok;
    }
    // Only now: help and a wrong setting need no process.
    const { runDirectoryAgent } = await import('../../directory-agent/run.ts');
    const err = { write: (line: string) => io.err(line), isTerminal: io.errIsTerminal };
    const config = resolved.values;
    const stop = config.stopWithStdin ? AbortSignal.any([signal, stdinEnds()]) : signal;
    await runDirectoryAgent({ config, version: packageJson.version, err }, stop);
    return EXIT.ok;
  },
};

function stdinEnds(): AbortSignal {
  const over = new AbortController();
  const end = (): void => over.abort(new Error('standard input has ended'));
  process.stdin.on('end', end).on('error', end).resume();
  return over.signal;
}
