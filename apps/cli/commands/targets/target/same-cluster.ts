import { type Settings, text } from '#kit/config';
import { readClientCommand } from '../../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../../client/client-settings.ts';
import { type ExitCode, type Io, UsageError } from '../../../command.ts';
import { DRY_RUN_SETTING } from '../../dry-run-setting.ts';
import { steerTargets } from '../steer-targets.ts';

/** For targets that are refused because another target has the same cluster. */
export const REIDENTIFY_SETTINGS = { ...DRY_RUN_SETTING, ...CLIENT_SETTINGS } as const satisfies Settings;

export const MERGE_SETTINGS = {
  into: {
    kind: text('NAME'),
    sentence: 'The target that has the same cluster, and stays.',
    group: 'How',
    from: ['flag'],
  },
  ...DRY_RUN_SETTING,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

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

/** Makes targets aliases of the one that has their cluster. */
export async function merge(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const command = readClientCommand({ settings: MERGE_SETTINGS, expects: ['NAME'], more: true }, args, io);
  const { api, positionals: words } = command;
  const { into, dryRun } = command.values;
  if (into === undefined) throw new UsageError('name the target that stays with --into');
  const done = `merged into ${into}`;
  return await steerTargets({ api, io, words, verb: 'merge', body: { into }, done, dryRun }, signal);
}
