import { helpText } from '#kit/config';
import { platformProcess } from '../../../platform/command.ts';
import type { Command } from '../../command.ts';
import { startProcess } from './start-process.ts';

export const serve: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift serve [flags]',
      summary: 'Runs the platform until SIGTERM or SIGINT.',
      settings: platformProcess.settings,
    }),
  run: (args, io, signal) => startProcess(platformProcess, { args, io }, signal),
};
