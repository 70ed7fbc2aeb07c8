import { helpText, type Settings, text } from '#kit/config';
import { GrantSchema } from '#protocol/api';
import { readClientCommand } from '../client/client-command.ts';
import { CLIENT_SETTINGS } from '../client/client-settings.ts';
import { parseJson } from '../client/parse-json.ts';
import { type Command, EXIT, UsageError } from '../command.ts';
import { grantKind } from '../kinds/grant-kind.ts';
import { PLACE_SETTINGS, placeOf } from '../kinds/place.ts';
import { readGranted } from './access/granted.ts';
import { readSubject } from './access/read-subject.ts';
import { DRY_RUN_SETTING, inDryRun } from './dry-run-setting.ts';

const group = 'Grant';
const from = ['flag'] as const;

const SETTINGS = {
  to: { kind: text('SUBJECT'), sentence: 'To whom: user:alice, group:dev or sa:WORKSPACE/NAME.', group, from },
  permission: { kind: text('NAME'), sentence: "In place of a role: an addon's permission.", group, from },
  attributes: { kind: text('JSON'), sentence: 'With a permission: values that its schema allows.', group, from },
  name: {
    kind: text('NAME'),
    unset: 'one that the platform makes up',
    sentence: 'The name of the grant.',
    group,
    from,
  },
  ...DRY_RUN_SETTING,
  workspace: { ...PLACE_SETTINGS.workspace, sentence: 'On this workspace and all below it; -w for short.' },
  target: { ...PLACE_SETTINGS.target, sentence: 'On this target.' },
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

export const grant: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift grant ROLE --to SUBJECT -w WORKSPACE|--target TARGET [flags]',
      summary:
        'Grants a role (viewer, deployer, approver, admin) or a permission of an addon. It flows down to everything below.\nNobody can grant what he does not have.',
      settings: SETTINGS,
    }),
  async run(args, io, signal) {
    const command = readClientCommand({ settings: SETTINGS, expects: [], more: true }, args, io);
    const { api, values, positionals, contextWorkspace } = command;
    const { to, permission, attributes, name, dryRun } = values;
    if (positionals.length > 1) throw new UsageError(`"${positionals[1]}": an argument that is not expected here`);
    if (to === undefined) throw new UsageError('say to whom with --to, as user:alice');
    const body = {
      subject: readSubject('--to', to),
      ...readGranted(positionals[0], permission),
      ...(attributes === undefined ? {} : { attributes: readAttributes(attributes) }),
      ...(name === undefined ? {} : { name }),
    };
    const { path } = grantKind.list(placeOf(grantKind, values, contextWorkspace));
    const made = await api.post(GrantSchema, { path, body, query: dryRun ? { dryRun } : {} }, signal);
    io.out(`grant/${made.name} created${inDryRun(dryRun)}\n`);
    return EXIT.ok;
  },
};

function readAttributes(text: string): unknown {
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new UsageError(`--attributes: is not a JSON object, such as '{"maxReplicas":3}'`);
}
