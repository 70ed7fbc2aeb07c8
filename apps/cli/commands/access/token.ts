import { helpText, listOf, oneOf, type Settings, suggestion, text } from '#kit/config';
import { MintedTokenSchema, TOKEN_ROLES } from '#protocol/api';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, EXIT, type ExitCode, type Io, UsageError } from '../../command.ts';
import { tokenKind } from '../../kinds/access/token-kind.ts';
import { PLACE_SETTINGS, type Place, placeOf } from '../../kinds/place.ts';
import { pathOf } from '../../kinds/read-one.ts';
import { renderTime } from '../../output/render-time.ts';
import { DRY_RUN_SETTING, inDryRun } from '../dry-run-setting.ts';

const group = 'Token';
const from = ['flag'] as const;

const SETTINGS = {
  ttl: { kind: text('DURATION'), unset: '90d', sentence: 'How long a new token is valid, such as 30d.', group, from },
  overlap: {
    kind: text('DURATION'),
    unset: 'none',
    sentence: 'rotate: how long the old token stays valid.',
    group,
    from,
  },
  within: {
    kind: text('RESOURCE'),
    sentence: 'create: restrict the token to this resource, as workspaces/web.',
    group,
    from,
  },
  role: {
    kind: listOf(oneOf(TOKEN_ROLES)),
    default: '',
    sentence: 'create: restrict the token to permissions of these roles.',
    group,
    from,
  },
  'display-name': { kind: text('NAME'), sentence: 'create: a display name.', group, from },
  ...DRY_RUN_SETTING,
  workspace: PLACE_SETTINGS.workspace,
  'service-account': {
    ...PLACE_SETTINGS['service-account'],
    sentence: 'rotate, revoke: the service account of the token.',
  },
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

type TokenCommand = ReturnType<typeof readClientCommand<typeof SETTINGS>> & { readonly io: Io; readonly what: string };
type Verb = (command: TokenCommand, signal: AbortSignal) => Promise<ExitCode>;

const VERBS: Readonly<Record<string, Verb>> = { create, rotate, revoke };

const SUMMARY = `Manages the tokens of a service account. A token is shown once, on standard output only.

  create SERVICE-ACCOUNT            creates a token
  rotate ID --service-account NAME  replaces a token; with --overlap both are valid for a while
  revoke ID --service-account NAME  ends it at once

"fleetshift get tokens --service-account NAME" lists them.`;

export const token: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift token create|rotate|revoke SERVICE-ACCOUNT|ID [flags]',
      summary: SUMMARY,
      settings: SETTINGS,
    }),
  async run([word, ...args], io, signal) {
    if (word === undefined) throw new UsageError(`missing action: one of ${Object.keys(VERBS).join(', ')}`);
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb === undefined) {
      const known = suggestion(word, Object.keys(VERBS));
      throw new UsageError(`unknown action "${word}"${known}\nsee: fleetshift token --help`);
    }
    const expects = [word === 'create' ? 'SERVICE-ACCOUNT' : 'ID'];
    const command = readClientCommand({ settings: SETTINGS, expects }, args, io);
    return await verb({ ...command, io, what: command.positionals[0] ?? '' }, signal);
  },
};

async function create(
  { api, values, contextWorkspace, io, what }: TokenCommand,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { ttl, within, role, displayName, dryRun, serviceAccount, overlap } = values;
  refuse({ overlap, 'service-account': serviceAccount }, 'create');
  const place = placeOf(tokenKind, { workspace: values.workspace, serviceAccount: what }, contextWorkspace);
  const scope = { ...(within === undefined ? {} : { within }), ...(role.length === 0 ? {} : { roles: role }) };
  const body = {
    ...(ttl === undefined ? {} : { ttl }),
    ...(displayName === undefined ? {} : { displayName }),
    ...(Object.keys(scope).length === 0 ? {} : { scope }),
  };
  const call = { path: tokenKind.list(place).path, body, query: dryRun ? { dryRun } : {} };
  show(await api.post(MintedTokenSchema, call, signal), { io, dryRun });
  return EXIT.ok;
}

async function rotate(
  { api, values, contextWorkspace, io, what }: TokenCommand,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { ttl, overlap, within, role, displayName, dryRun } = values;
  refuse({ within, role: role.length > 0 ? role : undefined, 'display-name': displayName }, 'rotate');
  const path = pathOf({ kind: tokenKind, name: what }, placeIn(values, contextWorkspace));
  const body = { ...(ttl === undefined ? {} : { ttl }), ...(overlap === undefined ? {} : { overlap }) };
  const call = { path, verb: 'rotate', body, query: dryRun ? { dryRun } : {} };
  show(await api.post(MintedTokenSchema, call, signal), { io, dryRun });
  return EXIT.ok;
}

async function revoke(
  { api, values, contextWorkspace, io, what }: TokenCommand,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { ttl, overlap, within, role, displayName, dryRun } = values;
  refuse({ ttl, overlap, within, role: role.length > 0 ? role : undefined, 'display-name': displayName }, 'revoke');
  const path = pathOf({ kind: tokenKind, name: what }, placeIn(values, contextWorkspace));
  await api.delete({ path, query: dryRun ? { dryRun } : {} }, signal);
  io.out(`token/${what} revoked${inDryRun(dryRun)}\n`);
  return EXIT.ok;
}

function placeIn({ workspace, serviceAccount }: TokenCommand['values'], contextWorkspace: string | undefined): Place {
  return placeOf(tokenKind, { workspace, serviceAccount }, contextWorkspace);
}

function refuse(useless: Readonly<Record<string, unknown>>, verb: string): void {
  const given = Object.entries(useless).find(([, value]) => value !== undefined);
  if (given !== undefined) throw new UsageError(`--${given[0]} does not apply to ${verb}; leave it out`);
}

interface Minted {
  readonly name: string;
  readonly token: string;
  readonly expireTime: string;
}

/** Only the secret goes to standard output, so that a script can store it. A dry run creates none. */
function show(
  { name, token: secret, expireTime }: Minted,
  { io, dryRun }: { readonly io: Io; readonly dryRun: boolean },
) {
  if (dryRun) return io.err('a token can be created (dry run)\n');
  io.out(`${secret}\n`);
  io.err(`token/${name} created; it expires ${renderTime(expireTime)}, and is not shown again\n`);
}
