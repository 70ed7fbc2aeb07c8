import { helpText } from '#kit/config';
import { crsProcess } from '../../../crs/command.ts';
import type { Command } from '../../command.ts';
import { startProcess } from './start-process.ts';

export const crs: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift crs [flags]',
      summary: `Runs the ClusterResourceSet controller until SIGTERM or SIGINT: it applies ConfigMaps and Secrets to the clusters that a
ClusterResourceSet of Cluster API selects, and records the result in ClusterResourceSetBindings.`,
      settings: crsProcess.settings,
    }),
  run: (args, io, signal) => startProcess(crsProcess, { args, io }, signal),
};
