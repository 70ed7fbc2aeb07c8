import { helpText, type Settings } from '#kit/config';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import type { Command } from '../../command.ts';
import { DRY_RUN_SETTING } from '../dry-run-setting.ts';
import { steerTargets } from './steer-targets.ts';

const SETTINGS = { ...DRY_RUN_SETTING, ...CLIENT_SETTINGS } as const satisfies Settings;

export const cordon = lifecycleCommand('cordon', 'Stops new deployments to targets; existing ones stay.');
export const uncordon = lifecycleCommand('uncordon', 'Allows new deployments to targets again.');

function lifecycleCommand(verb: 'cordon' | 'uncordon', summary: string): Command {
  return {
    help: () => helpText({ usage: `fleetshift ${verb} NAME... [flags]`, summary, settings: SETTINGS }),
    async run(args, io, signal) {
      const command = readClientCommand({ settings: SETTINGS, expects: ['NAME'], more: true }, args, io);
      const { api, positionals: words, values } = command;
      return await steerTargets({ api, io, words, verb, done: `${verb}ed`, dryRun: values.dryRun }, signal);
    },
  };
}
