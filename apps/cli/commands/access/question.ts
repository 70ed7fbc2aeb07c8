import { listOf, type Settings, text } from '#kit/config';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Io, UsageError } from '../../command.ts';
import { KINDS } from '../../kinds/kinds.ts';
import { PLACE_SETTINGS } from '../../kinds/place.ts';
import { readSubject } from './read-subject.ts';

const group = 'Question';
const from = ['flag'] as const;

/** The resource. */
const ON_SETTINGS = {
  workspace: {
    ...PLACE_SETTINGS.workspace,
    unset: 'the workspace of the context, or root',
    sentence: 'On this workspace; -w for short.',
  },
  target: { ...PLACE_SETTINGS.target, sentence: 'On this target.' },
} as const satisfies Settings;

/** The subject. */
export const WHO_SETTINGS = {
  as: {
    kind: text('SUBJECT'),
    unset: 'yourself',
    sentence: 'The subject: user:alice, group:dev or sa:WORKSPACE/NAME.',
    group,
    from,
  },
  'as-group': {
    kind: listOf(text('GROUP')),
    default: '',
    sentence: 'With --as: a group to assume for the subject.',
    group,
    from,
  },
} as const satisfies Settings;

export const WHO_CAN_SETTINGS = { ...ON_SETTINGS, ...CLIENT_SETTINGS } as const satisfies Settings;
export const QUESTION_SETTINGS = { ...ON_SETTINGS, ...WHO_SETTINGS, ...CLIENT_SETTINGS } as const satisfies Settings;

/** `workspaces.create`, or `create workspaces`, on a workspace or a target. */
export function readQuestion(args: readonly string[], io: Io) {
  const command = readClientCommand({ settings: QUESTION_SETTINGS, ...EXPECTS }, args, io);
  const { api, values, positionals, contextWorkspace } = command;
  const resource = resourceOf(values, contextWorkspace);
  return { api, body: { permission: permissionOf(positionals), resource, ...subjectOf(values) } };
}

/** The same without a subject. */
export function readWhoCan(args: readonly string[], io: Io) {
  const command = readClientCommand({ settings: WHO_CAN_SETTINGS, ...EXPECTS }, args, io);
  const { api, values, positionals, contextWorkspace } = command;
  return { api, body: { permission: permissionOf(positionals), resource: resourceOf(values, contextWorkspace) } };
}

export const EXPECTS = { expects: ['PERMISSION'], more: true } as const;

interface On {
  readonly workspace: string | undefined;
  readonly target: string | undefined;
}

function resourceOf({ workspace, target }: On, contextWorkspace: string | undefined): string {
  if (workspace !== undefined && target !== undefined) throw new UsageError('--workspace and --target: choose one');
  return target === undefined ? `workspaces/${workspace ?? contextWorkspace ?? 'root'}` : `targets/${target}`;
}

/** Undefined for the caller itself. */
export function subjectOf({ as, asGroup }: { readonly as: string | undefined; readonly asGroup: readonly string[] }) {
  if (as === undefined && asGroup.length > 0) throw new UsageError('--as-group requires --as');
  const groups = asGroup.length === 0 ? {} : { groups: asGroup };
  return as === undefined ? {} : { subject: { ...readSubject('--as', as), ...groups } };
}

export function permissionOf([first = '', second, ...more]: readonly string[]): string {
  if (more.length > 0) throw new UsageError('name one permission: workspaces.create, or create workspaces');
  if (second === undefined) return first;
  const word = second.toLowerCase().replaceAll('-', '');
  const kind = KINDS.find(({ name, plural, short }) =>
    [name, plural.replaceAll('-', ''), short].some((each) => each === word),
  );
  // Permissions use the API's plural: serviceAccounts.
  const plural = (kind?.plural ?? second).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return `${plural === 'tokens' ? 'serviceAccountTokens' : plural}.${first}`;
}
