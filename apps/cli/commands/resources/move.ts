import { helpText, type Settings, text } from '#kit/config';
import { MovedWorkspaceSchema } from '#protocol/api';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, EXIT, UsageError } from '../../command.ts';
import { someThings } from '../../kinds/things.ts';
import { workspaceKind } from '../../kinds/workspace-kind.ts';
import { printable } from '../../output/printable.ts';
import { DRY_RUN_SETTING, inDryRun } from '../dry-run-setting.ts';

const SETTINGS = {
  to: { kind: text('PARENT'), sentence: 'The new parent workspace.', group: 'How', from: ['flag'] },
  ...DRY_RUN_SETTING,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

export const move: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift move workspace NAME --to PARENT [flags]',
      summary: 'Moves a workspace with everything in it, and shows what that changes. Preview with --dry-run.',
      settings: SETTINGS,
    }),
  async run(args, io, signal) {
    const command = readClientCommand({ settings: SETTINGS, expects: ['workspace'], more: true }, args, io);
    const { api, positionals } = command;
    const { to, dryRun } = command.values;
    const [thing, ...others] = someThings(positionals, 'move');
    if (thing?.kind !== workspaceKind)
      throw new UsageError('only workspaces can be moved; for targets use: fleetshift assign');
    if (others.length > 0) throw new UsageError('one workspace at a time');
    if (to === undefined) throw new UsageError('name the new parent with --to');
    const call = {
      path: ['workspaces', thing.name],
      verb: 'move',
      body: { parent: to },
      query: dryRun ? { dryRun } : {},
    };
    const { changes } = await api.post(MovedWorkspaceSchema, call, signal);
    const name = `workspace/${thing.name}`;
    io.out(changes.length === 0 ? `${name} unchanged\n` : `${name} moved to ${to}${inDryRun(dryRun)}\n`);
    for (const { message } of changes) io.out(`  ${printable(message)}\n`);
    return EXIT.ok;
  },
};
