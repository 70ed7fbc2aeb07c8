import { helpText } from '#kit/config';
import { fleetletProcess } from '../../../fleetlet/command.ts';
import { fleetletWithProcess } from '../../../fleetlet-with-kubernetes/command.ts';
import type { Command } from '../../command.ts';
import { startProcess } from './start-process.ts';

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
      settings: fleetletWithProcess.settings,
    }),
  async run(args, io, signal) {
    const [word = '', ...rest] = args;
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb !== undefined) return await (await verb()).run(rest, io, signal);
    return await startProcess({ ...fleetletWithProcess, run }, { args, io }, signal);
  },
};

/** A fleetlet alone needs no Kubernetes code. */
const run: typeof fleetletWithProcess.run = (config, surroundings, signal) => {
  const chosen = config.with.includes('kubernetes') ? fleetletWithProcess : fleetletProcess;
  return chosen.run(config, surroundings, signal);
};
