import { boolean, helpText, listOf, oneOf, type Settings, text } from '#kit/config';
import { sleep } from '#kit/std';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import type { ServerEvent } from '../../client/server-events.ts';
import type { Command } from '../../command.ts';
import { PLACE_SETTINGS } from '../../kinds/place.ts';
import { renderEvent } from '../../output/render-event.ts';
import { followEvents } from '../../watch/follow-events.ts';

const group = 'Which and how';
const from = ['flag'] as const;

const SETTINGS = {
  'from-beginning': {
    kind: boolean(),
    default: 'false',
    sentence: 'Start with all stored events, instead of new ones only.',
    group,
    from,
  },
  type: {
    kind: listOf(text('TYPE')),
    default: '',
    sentence: 'Only events of these types, as target.created.',
    group,
    from,
  },
  filter: {
    kind: text('CEL'),
    sentence: 'Only events that match this condition, as subject.startsWith("targets/") or workspace == "shop".',
    group,
    from,
  },
  output: {
    kind: oneOf(['line', 'json'] as const),
    default: 'line',
    sentence: 'Output format; -o for short. json prints one line per event, with all fields of the API.',
    group,
    from,
  },
  workspace: { ...PLACE_SETTINGS.workspace, unset: 'all', sentence: 'Only events in this workspace; -w for short.' },
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

export const events: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift events [flags]',
      summary: 'Prints events until Ctrl-C. A lost connection is reopened, and no event is skipped.',
      settings: SETTINGS,
    }),
  async run(args, io, signal) {
    const { api, values } = readClientCommand({ settings: SETTINGS, expects: [] }, args, io);
    const { type: types, fromBeginning, output } = values;
    const filter = filterOf(values);
    const print =
      output === 'json'
        ? (event: ServerEvent) => JSON.stringify(event.data)
        : (event: ServerEvent) => renderEvent(event.type, event.data);
    return await followEvents(
      {
        api: { events: (call, stop) => api.events({ ...call, fromBeginning, filter }, stop) },
        types,
        sleep,
        random: Math.random,
        begin: async () => {},
        take: async (event) => io.out(`${print(event)}\n`),
        note: (said) => io.err(said),
      },
      signal,
    );
  },
};

function filterOf({ workspace, filter }: { workspace?: string | undefined; filter?: string | undefined }) {
  if (workspace === undefined) return filter;
  const inIt = `workspace == ${JSON.stringify(workspace)}`;
  return filter === undefined ? inIt : `${inIt} && (${filter})`;
}
