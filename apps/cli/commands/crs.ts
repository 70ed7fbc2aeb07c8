import { readFileSync } from 'node:fs';
import { helpText, printSettings } from '#kit/config';
import packageJson from '../../../package.json' with { type: 'json' };
import { CRS_SETTINGS, resolveCrsConfig } from '../../crs/config.ts';
import { type Command, EXIT } from '../command.ts';

export const crs: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift crs [flags]',
      summary: `Runs the ClusterResourceSet controller until SIGTERM or SIGINT: it applies ConfigMaps and Secrets to the clusters that a
ClusterResourceSet of Cluster API selects, and records the result in ClusterResourceSetBindings.`,
      settings: CRS_SETTINGS,
    }),
  async run(args, io, signal) {
    const { environment } = io;
    const readText = (path: string) => readFileSync(path, 'utf8');
    const resolved = resolveCrsConfig({ args, environment, readText });
    if (resolved.values.printConfig) {
      io.out(printSettings(CRS_SETTINGS, resolved));
      return EXIT.ok;
    }
    // Loaded late: help and invalid settings need no controller code.
    const { runCrs } = await import('../../crs/run.ts');
    const err = { write: (line: string) => io.err(line), isTerminal: io.errIsTerminal };
    await runCrs({ config: resolved.values, version: packageJson.version, environment, err }, signal);
    return EXIT.ok;
  },
};
