import { helpText, integer, oneOf, type Settings, text } from '#kit/config';
import { type TimelineEntryResource, TimelineEntrySchema } from '#protocol/api';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { readPages } from '../../client/read-pages.ts';
import { type Command, EXIT, UsageError } from '../../command.ts';
import { PLACE_SETTINGS } from '../../kinds/place.ts';
import { OUTPUT_FORMATS, renderData } from '../../output/render-data.ts';
import { renderTable } from '../../output/render-table.ts';
import { renderTime } from '../../output/render-time.ts';
import { deploymentPath } from '../../rollout/read-rollout.ts';
import { lastRevision } from './revisions/last-revision.ts';
import { readRevision } from './revisions/read-revision.ts';
import { deploymentNamed } from './rollout/deployment-word.ts';

const group = 'Which and how';
const from = ['flag'] as const;

const SETTINGS = {
  target: { kind: text('NAME'), sentence: 'Only events of this target.', group, from },
  limit: {
    kind: integer({ min: 1, max: 1_000_000 }),
    default: '200',
    sentence: 'The maximum number of entries, oldest first.',
    group,
    from,
  },
  output: {
    kind: oneOf(OUTPUT_FORMATS),
    default: 'table',
    sentence: 'Output format; -o for short. json and yaml have all fields of the API.',
    group,
    from,
  },
  workspace: PLACE_SETTINGS.workspace,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

export const timeline: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift timeline NAME [REVISION] [flags]',
      summary: 'Shows what happened in a rollout and when; default is the last rollout.',
      settings: SETTINGS,
    }),
  async run(args, io, signal) {
    const command = readClientCommand({ settings: SETTINGS, expects: ['NAME'], more: true }, args, io);
    const { api, values, positionals, contextWorkspace } = command;
    const { workspace, target, limit, output } = values;
    const [word = '', number, extra] = positionals;
    if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`);
    const address = deploymentNamed({ word, workspace, contextWorkspace });
    const revision = number === undefined ? await lastRevision(api, address, signal) : readRevision(number);
    const path = [...deploymentPath(address), 'revisions', String(revision), 'timeline'];
    const pages = { item: TimelineEntrySchema, call: { path, query: { target } }, limit };
    const { items, more } = await readPages(api, pages, signal);
    if (output !== 'table') io.out(renderData(output, { items }));
    else if (items.length > 0) io.out(renderTimeline(items));
    else io.err('no entries yet\n');
    if (more) io.err(`there are more; --limit ${limit * 10} shows more of them\n`);
    return EXIT.ok;
  },
};

function renderTimeline(entries: readonly TimelineEntryResource[]): string {
  const rows = entries.map(({ time, kind, message, count, targets }) => {
    const more = count > targets.length ? ` and ${count - targets.length} more` : '';
    return [renderTime(time), kind, targets.length === 0 ? '-' : `${targets.join(', ')}${more}`, message];
  });
  return renderTable(['TIME', 'WHAT', 'TARGETS', 'MESSAGE'], rows);
}
