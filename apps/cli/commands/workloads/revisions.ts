import { boolean, helpText, integer, oneOf, type Settings, text } from '#kit/config';
import { systemClock } from '#kit/std';
import { RevisionSchema } from '#protocol/api';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, EXIT, type ExitCode, type Io, UsageError } from '../../command.ts';
import type { Resource } from '../../kinds/kind.ts';
import { PLACE_SETTINGS } from '../../kinds/place.ts';
import { readList } from '../../kinds/read-list.ts';
import { revisionKind } from '../../kinds/revision-kind.ts';
import { paintFor } from '../../output/paint.ts';
import { renderData } from '../../output/render-data.ts';
import { renderFacts } from '../../output/render-facts.ts';
import { renderItems } from '../../output/render-items.ts';
import { deploymentPath } from '../../rollout/read-rollout.ts';
import { DETAILS_SETTING } from './details-setting.ts';
import { readRevision } from './revisions/read-revision.ts';
import { readRevisionDiff } from './revisions/read-revision-diff.ts';
import { renderRevisionDiff } from './revisions/render-revision-diff.ts';
import { deploymentNamed } from './rollout/deployment-word.ts';

const group = 'Which and how';
const from = ['flag'] as const;
const REVISION = { min: 1, max: Number.MAX_SAFE_INTEGER };

const SETTINGS = {
  diff: {
    kind: boolean(),
    default: 'false',
    sentence: 'Show what a revision changed, target by target; default is the last revision.',
    group,
    from,
  },
  against: {
    kind: integer(REVISION),
    unset: 'the previous revision',
    sentence: 'With --diff: the revision to compare with.',
    group,
    from,
  },
  target: { kind: text('NAME'), sentence: 'With --diff: only this target.', group, from },
  details: DETAILS_SETTING,
  limit: {
    kind: integer({ min: 1, max: 1_000_000 }),
    default: '50',
    sentence: 'The maximum number of revisions, or of targets in a diff.',
    group,
    from,
  },
  output: {
    kind: oneOf(['table', 'wide', 'json', 'yaml', 'name']),
    default: 'table',
    sentence: 'Output format; -o for short. json and yaml have all fields of the API.',
    group,
    from,
  },
  workspace: PLACE_SETTINGS.workspace,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

export const revisions: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift revisions NAME [REVISION] [--diff] [flags]',
      summary: 'Lists the rollouts of a deployment, shows one of them, or what it changed.',
      settings: SETTINGS,
    }),
  async run(args, io, signal) {
    const command = readClientCommand({ settings: SETTINGS, expects: ['NAME'], more: true }, args, io);
    const { values, positionals } = command;
    const [, word, extra] = positionals;
    if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`);
    if (!values.diff && (values.against ?? values.target) !== undefined) {
      throw new UsageError('--against and --target require --diff');
    }
    const revision = word === undefined ? undefined : readRevision(word);
    if (values.diff) return await showDiff(command, { io, revision }, signal);
    return revision === undefined ? await list(command, io, signal) : await show(command, { io, revision }, signal);
  },
};

type Revisions = ReturnType<typeof readClientCommand<typeof SETTINGS>>;

function addressOf({ values, positionals, contextWorkspace }: Revisions) {
  return deploymentNamed({ word: positionals[0] ?? '', workspace: values.workspace, contextWorkspace });
}

async function list(command: Revisions, io: Io, signal: AbortSignal): Promise<ExitCode> {
  const { output, limit } = command.values;
  const { workspace, name } = addressOf(command);
  const listing = { kind: revisionKind, place: { workspace, deployment: name }, limit };
  const { items, more } = await readList(command.api, listing, signal);
  if (output === 'json' || output === 'yaml') io.out(renderData(output, { items }));
  else if (items.length > 0) io.out(renderItems(revisionKind, items, output));
  else io.err(`${name} was not rolled out yet\n`);
  if (more) io.err(`there are more; --limit ${limit * 10} shows more of them\n`);
  return EXIT.ok;
}

interface Showing {
  readonly io: Io;
  readonly revision: number;
}

async function show(command: Revisions, { io, revision }: Showing, signal: AbortSignal): Promise<ExitCode> {
  const { output } = command.values;
  const path = [...deploymentPath(addressOf(command)), 'revisions', String(revision)];
  const item: Resource = await command.api.get(RevisionSchema, { path }, signal);
  if (output === 'json' || output === 'yaml') io.out(renderData(output, item));
  else if (output === 'name') io.out(renderItems(revisionKind, [item], output));
  else io.out(renderFacts(item, systemClock.now()));
  return EXIT.ok;
}

async function showDiff(
  command: Revisions,
  { io, revision }: { readonly io: Io; readonly revision: number | undefined },
  signal: AbortSignal,
): Promise<ExitCode> {
  const { output, against, target, limit, details } = command.values;
  if (output === 'name') throw new UsageError('-o name: a diff has no name');
  const question = { address: addressOf(command), revision, against, target, limit };
  const diff = await readRevisionDiff(command.api, question, signal);
  if (output === 'json' || output === 'yaml') io.out(renderData(output, diff));
  else io.out(`${renderRevisionDiff(diff, paintFor(io), details).join('\n')}\n`);
  return EXIT.ok;
}
