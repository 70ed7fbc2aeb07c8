import { readFileSync } from 'node:fs';
import { helpText, printSettings } from '#kit/config';
import packageJson from '../../../package.json' with { type: 'json' };
import { PLATFORM_SETTINGS, resolvePlatformConfig } from '../../platform/config.ts';
import { type Command, EXIT } from '../command.ts';

export const serve: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift serve [flags]',
      summary: 'Runs the platform until SIGTERM or SIGINT.',
      settings: PLATFORM_SETTINGS,
    }),
  async run(args, io, signal) {
    const { environment } = io;
    const readText = (path: string) => readFileSync(path, 'utf8');
    const resolved = resolvePlatformConfig({ args, environment, readText });
    if (resolved.values.printConfig) {
      io.out(printSettings(PLATFORM_SETTINGS, resolved));
      return EXIT.ok;
    }
    // Loaded late: help and invalid settings need no server code.
    const { runPlatform } = await import('../../platform/run.ts');
    const err = { write: (line: string) => io.err(line), isTerminal: io.errIsTerminal };
    const terminal = io.outIsTerminal ? { write: (text: string) => io.out(text) } : undefined;
    await runPlatform({ config: resolved.values, version: packageJson.version, environment, err, terminal }, signal);
    return EXIT.ok;
  },
};
