import { helpText, type Settings } from '#kit/config';
import { systemClock } from '#kit/std';
import type { ApiClient } from '../../client/api-client.ts';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import type { Command } from '../../command.ts';
import { eachThing } from '../../each-thing.ts';
import { kindsHelp } from '../../kinds/kinds.ts';
import { PLACE_SETTINGS, type Place, placeOf } from '../../kinds/place.ts';
import { readOne } from '../../kinds/read-one.ts';
import { someThings, type Thing } from '../../kinds/things.ts';
import { renderFacts } from '../../output/render-facts.ts';

const { workspace, target, 'service-account': serviceAccount, deployment } = PLACE_SETTINGS;
const SETTINGS = {
  workspace,
  target,
  'service-account': serviceAccount,
  deployment,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

export const describe: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift describe KIND NAME... | KIND/NAME... [flags]',
      summary: `Shows resources in detail, for people.\n\n${kindsHelp(({ nameOf }) => nameOf !== undefined)}`,
      settings: SETTINGS,
    }),
  async run(args, io, signal) {
    const command = readClientCommand({ settings: SETTINGS, expects: ['KIND'], more: true }, args, io);
    const { api, values, contextWorkspace, positionals } = command;
    let separator = '';
    const tasks = someThings(positionals, 'describe').map((thing) => ({
      name: `${thing.kind.name}/${thing.name}`,
      run: async () => {
        const place = placeOf(thing.kind, values, contextWorkspace);
        io.out(`${separator}${await describeThing({ api, thing, place }, signal)}`);
        separator = '\n---\n\n';
      },
    }));
    return await eachThing(tasks, io, signal);
  },
};

interface Describing {
  readonly api: ApiClient;
  readonly thing: Thing;
  readonly place: Place;
}

async function describeThing({ api, thing, place }: Describing, signal: AbortSignal): Promise<string> {
  const item = await readOne(api, { ...thing, place }, signal);
  const sections = (await thing.kind.details?.({ item, api }, signal)) ?? [];
  const { conditions: _shownBelow, ...facts } = item;
  return [renderFacts(facts, systemClock.now()), ...sections.map(({ title, text }) => `${title}:\n${text}`)].join('\n');
}
