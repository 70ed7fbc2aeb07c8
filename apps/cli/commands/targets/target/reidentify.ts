import type { Settings } from '#kit/config';
import { readClientCommand } from '../../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../../client/client-settings.ts';
import type { ExitCode, Io } from '../../../command.ts';
import { DRY_RUN_SETTING } from '../../dry-run-setting.ts';
import { steerTargets } from '../steer-targets.ts';

export const REIDENTIFY_SETTINGS = { ...DRY_RUN_SETTING, ...CLIENT_SETTINGS } as const satisfies Settings;

/** Tells the clusters of targets from the clusters that they are copies of. */
export async function reidentify(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const command = readClientCommand({ settings: REIDENTIFY_SETTINGS, expects: ['NAME'], more: true }, args, io);
  const { api, positionals: words, values } = command;
  const steering = {
    api,
    io,
    words,
    verb: 'reidentify',
    done: 'gets an id of its own',
    dryRun: values.dryRun,
  } as const;
  return await steerTargets(steering, signal);
}
