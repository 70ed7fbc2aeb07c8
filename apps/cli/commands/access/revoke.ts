import { helpText, type Settings, text } from '#kit/config';
import { readClientCommand } from '../../client/client-command.ts';
import { ClientError } from '../../client/client-error.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, UsageError } from '../../command.ts';
import { eachThing } from '../../each-thing.ts';
import { grantKind } from '../../kinds/access/grant-kind.ts';
import type { Resource } from '../../kinds/kind.ts';
import { PLACE_SETTINGS, placeOf } from '../../kinds/place.ts';
import { readList } from '../../kinds/read-list.ts';
import { pathOf } from '../../kinds/read-one.ts';
import { DRY_RUN_SETTING, inDryRun } from '../dry-run-setting.ts';
import { readGranted } from './granted.ts';
import { readSubject, type Subject } from './read-subject.ts';

const group = 'Grant';
const flag = ['flag'] as const;

const SETTINGS = {
  from: {
    kind: text('SUBJECT'),
    sentence: 'The subject: user:alice, group:dev or sa:WORKSPACE/NAME.',
    group,
    from: flag,
  },
  permission: { kind: text('NAME'), sentence: "Instead of a role: an addon's permission.", group, from: flag },
  ...DRY_RUN_SETTING,
  workspace: { ...PLACE_SETTINGS.workspace, sentence: 'Grants on this workspace; -w for short.' },
  target: { ...PLACE_SETTINGS.target, sentence: 'Grants on this target.' },
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

export const revoke: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift revoke ROLE --from SUBJECT -w WORKSPACE|--target TARGET [flags]',
      summary:
        'Revokes the grant of a subject on exactly this workspace or target. Revoke inherited grants where they were made.\nTo revoke a grant by its name use "fleetshift delete grant NAME".',
      settings: SETTINGS,
    }),
  async run(args, io, signal) {
    const command = readClientCommand({ settings: SETTINGS, expects: [], more: true }, args, io);
    const { api, values, positionals, contextWorkspace } = command;
    const { from, permission, dryRun } = values;
    if (positionals.length > 1) throw new UsageError(`unexpected argument "${positionals[1]}"`);
    if (from === undefined) throw new UsageError('name the subject with --from, as user:alice');
    const subject = readSubject('--from', from);
    const granted = readGranted(positionals[0], permission);
    const place = placeOf(grantKind, values, contextWorkspace);
    const { items } = await readList(api, { kind: grantKind, place }, signal);
    const names = items.filter((item) => isThat(item, subject, granted)).map((item) => String(item['name']));
    if (names.length === 0) {
      const what = granted.role ?? granted.permission;
      const act = 'list grants with "fleetshift get grants --inherited"';
      throw new ClientError('NOT_FOUND', `${from} has no grant of ${what} on exactly this resource; ${act}`);
    }
    const tasks = names.map((name) => ({
      name: `grant/${name}`,
      run: async () => {
        const path = pathOf({ kind: grantKind, name }, place);
        await api.delete({ path, query: dryRun ? { dryRun } : {} }, signal);
        io.out(`grant/${name} deleted${inDryRun(dryRun)}\n`);
      },
    }));
    return await eachThing(tasks, io, signal);
  },
};

function isThat(item: Resource, subject: Subject, granted: { role?: string; permission?: string }): boolean {
  const its = item['subject'] as Subject;
  if (its.kind !== subject.kind || its.id !== subject.id) return false;
  return item['role'] === granted.role && item['permission'] === granted.permission;
}
