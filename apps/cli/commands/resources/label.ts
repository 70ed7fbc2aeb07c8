import { boolean, helpText, type Settings } from '#kit/config';
import { mergeLabels, sameLabels } from '#kit/std';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, EXIT, UsageError } from '../../command.ts';
import type { Resource } from '../../kinds/kind.ts';
import { kindsHelp } from '../../kinds/kinds.ts';
import { PLACE_SETTINGS, placeOf } from '../../kinds/place.ts';
import { pathOf, readOne } from '../../kinds/read-one.ts';
import { someThings, type Thing } from '../../kinds/things.ts';
import { DRY_RUN_SETTING, inDryRun } from '../dry-run-setting.ts';

const SETTINGS = {
  overwrite: {
    kind: boolean(),
    default: 'false',
    sentence: 'Also change labels that have another value.',
    group: 'How',
    from: ['flag'],
  },
  ...DRY_RUN_SETTING,
  workspace: PLACE_SETTINGS.workspace,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

export const label: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift label KIND NAME | KIND/NAME KEY=VALUE... KEY-... [flags]',
      summary: `Sets labels, and removes those with a trailing dash: "fleetshift label target prod-1 env=prod old-".\n\n${kindsHelp(({ labelled }) => labelled === true)}`,
      settings: SETTINGS,
    }),
  async run(args, io, signal) {
    const { api, values, positionals, contextWorkspace } = readClientCommand(
      { settings: SETTINGS, expects: ['KIND'], more: true },
      args,
      io,
    );
    const { thing, patch } = readLabelling(positionals);
    const place = placeOf(thing.kind, values, contextWorkspace);
    const current = await readOne(api, { ...thing, place }, signal);
    const labels = current['labels'] as Readonly<Record<string, string>>;
    if (!values.overwrite) refuseToOverwrite(labels, patch);
    const name = `${thing.kind.name}/${thing.name}`;
    if (sameLabels(labels, mergeLabels(labels, patch))) {
      io.out(`${name} unchanged\n`);
      return EXIT.ok;
    }
    const { dryRun } = values;
    const call = { path: pathOf(thing, place), body: { labels: patch }, query: dryRun ? { dryRun } : {} };
    await api.patch(thing.kind.schema, { ...call, ifMatch: String(current['etag']) }, signal);
    io.out(`${name} labelled${inDryRun(dryRun)}\n`);
    return EXIT.ok;
  },
};

type LabelsPatch = Readonly<Record<string, string | null>>;

function readLabelling(words: readonly string[]): { readonly thing: Thing; readonly patch: LabelsPatch } {
  const count = words[0]?.includes('/') ? 1 : 2;
  const [thing] = someThings(words.slice(0, count), 'label');
  if (thing === undefined) throw new UsageError('missing resource to label');
  if (!thing.kind.labelled) throw new UsageError(`${thing.kind.plural} have no labels`);
  const changes = words.slice(count).map(readChange);
  if (changes.length === 0) throw new UsageError('missing labels: KEY=VALUE sets one, KEY- removes one');
  const twice = changes.find(([key], index) => changes.findIndex(([other]) => other === key) !== index);
  if (twice !== undefined) throw new UsageError(`the label ${twice[0]} is named twice`);
  return { thing, patch: Object.fromEntries(changes) };
}

function readChange(word: string): [string, string | null] {
  const equals = word.indexOf('=');
  if (equals > 0) return [word.slice(0, equals), word.slice(equals + 1)];
  if (equals < 0 && word.length > 1 && word.endsWith('-')) return [word.slice(0, -1), null];
  throw new UsageError(`"${word}" is neither KEY=VALUE nor KEY-`);
}

function refuseToOverwrite(labels: Resource, patch: LabelsPatch): void {
  const clash = Object.entries(patch).find(
    ([key, value]) => value !== null && Object.hasOwn(labels, key) && labels[key] !== value,
  );
  if (clash === undefined) return;
  const [key] = clash;
  throw new UsageError(`the label ${key} is ${String(labels[key])}; to change it, add --overwrite`);
}
