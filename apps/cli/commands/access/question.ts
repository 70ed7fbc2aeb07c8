import { listOf, type Settings, text } from '#kit/config';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Io, UsageError } from '../../command.ts';
import { KINDS } from '../../kinds/kinds.ts';
import { PLACE_SETTINGS } from '../../kinds/place.ts';
import { readSubject } from './read-subject.ts';

const group = 'Question';
const from = ['flag'] as const;

export const QUESTION_SETTINGS = {
  workspace: {
    ...PLACE_SETTINGS.workspace,
    unset: 'that of the context, or root',
    sentence: 'On this workspace; -w for short.',
  },
  target: { ...PLACE_SETTINGS.target, sentence: 'On this target.' },
  as: {
    kind: text('SUBJECT'),
    unset: 'yourself',
    sentence: 'Who: user:alice, group:dev, sa:WORKSPACE/NAME.',
    group,
    from,
  },
  'as-group': {
    kind: listOf(text('GROUP')),
    default: '',
    sentence: 'With --as: a group to count as his.',
    group,
    from,
  },
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

/** `workspaces.create`, or `create workspaces`, asked on a workspace or a target. */
export function readQuestion(args: readonly string[], io: Io) {
  const command = readClientCommand({ settings: QUESTION_SETTINGS, expects: ['PERMISSION'], more: true }, args, io);
  const { api, values, positionals, contextWorkspace } = command;
  const { workspace, target, as, asGroup } = values;
  if (workspace !== undefined && target !== undefined) throw new UsageError('--workspace and --target: choose one');
  if (as === undefined && asGroup.length > 0) throw new UsageError('--as-group goes with --as');
  const resource = target === undefined ? `workspaces/${workspace ?? contextWorkspace ?? 'root'}` : `targets/${target}`;
  const groups = asGroup.length === 0 ? {} : { groups: asGroup };
  const subject = as === undefined ? {} : { subject: { ...readSubject('--as', as), ...groups } };
  return { api, body: { permission: permissionOf(positionals), resource, ...subject } };
}

function permissionOf([first = '', second, ...more]: readonly string[]): string {
  if (more.length > 0) throw new UsageError('ask for one permission: workspaces.create, or create workspaces');
  if (second === undefined) return first;
  const word = second.toLowerCase().replaceAll('-', '');
  const kind = KINDS.find(({ name, plural, short }) =>
    [name, plural.replaceAll('-', ''), short].some((each) => each === word),
  );
  // In permissions the plural is as in the API's own words: serviceAccounts.
  const plural = (kind?.plural ?? second).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return `${plural === 'tokens' ? 'serviceAccountTokens' : plural}.${first}`;
}
