import { helpText, type Settings, text } from '#kit/config';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, UsageError } from '../../command.ts';
import { DRY_RUN_SETTING } from '../dry-run-setting.ts';
import { steerTargets } from './steer-targets.ts';

const SETTINGS = {
  to: { kind: text('WORKSPACE'), sentence: 'The workspace to assign the targets to.', group: 'How', from: ['flag'] },
  ...DRY_RUN_SETTING,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

export const assign: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift assign target NAME... --to WORKSPACE [flags]',
      summary: 'Moves targets to another workspace.',
      settings: SETTINGS,
    }),
  async run(args, io, signal) {
    const command = readClientCommand({ settings: SETTINGS, expects: ['NAME'], more: true }, args, io);
    const { api, positionals: words } = command;
    const { to, dryRun } = command.values;
    if (to === undefined) throw new UsageError('name the new workspace with --to');
    const done = `assigned to ${to}`;
    return await steerTargets({ api, io, words, verb: 'assign', body: { workspace: to }, done, dryRun }, signal);
  },
};
