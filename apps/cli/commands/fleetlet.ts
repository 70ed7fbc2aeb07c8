import { readFileSync } from 'node:fs';
import { helpText, printSettings } from '#kit/config';
import packageJson from '../../../package.json' with { type: 'json' };
import { FLEETLET_WITH_SETTINGS, resolveFleetletWithConfig } from '../../fleetlet-with-kubernetes/config.ts';
import { type Command, EXIT } from '../command.ts';

/** Commands about the fleetlets of a platform. Loaded on demand: the fleetlet process needs none of it. */
const VERBS: Readonly<Record<string, () => Promise<Command>>> = {
  revoke: async () => (await import('./fleetlet/steer-fleetlets.ts')).revokeFleetlets,
  bind: async () => (await import('./fleetlet/steer-fleetlets.ts')).bindFleetlet,
  unbind: async () => (await import('./fleetlet/steer-fleetlets.ts')).unbindFleetlet,
};

export const fleetlet: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift fleetlet [flags]',
      summary: `Runs a fleetlet until SIGTERM or SIGINT: it connects the processes of this machine to a platform, and keeps that connection.

For enrolled fleetlets, as listed by "fleetshift get fleetlets":

  fleetshift fleetlet revoke NAME...      revokes them permanently
  fleetshift fleetlet bind NAME TARGET    lets it serve one more target
  fleetshift fleetlet unbind NAME TARGET  stops it from serving a target`,
      settings: FLEETLET_WITH_SETTINGS,
    }),
  async run(args, io, signal) {
    const [word = '', ...rest] = args;
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb !== undefined) return await (await verb()).run(rest, io, signal);
    const { environment } = io;
    const readText = (path: string) => readFileSync(path, 'utf8');
    const resolved = resolveFleetletWithConfig({ args, environment, readText });
    if (resolved.values.printConfig) {
      io.out(printSettings(FLEETLET_WITH_SETTINGS, resolved));
      return EXIT.ok;
    }
    const { values: config } = resolved;
    const err = { write: (line: string) => io.err(line), isTerminal: io.errIsTerminal };
    const options = { config, version: packageJson.version, environment, err };
    // Loaded late: help and invalid settings need no fleetlet code, and a fleetlet alone needs no Kubernetes code.
    if (config.with.includes('kubernetes')) {
      const { runFleetletWithKubernetes } = await import('../../fleetlet-with-kubernetes/run.ts');
      await runFleetletWithKubernetes(options, signal);
    } else {
      const { runFleetlet } = await import('#runtime/fleetlet/run');
      await runFleetlet(options, signal);
    }
    return EXIT.ok;
  },
};
