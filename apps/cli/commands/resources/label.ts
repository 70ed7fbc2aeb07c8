import { boolean, helpText, type Settings, text } from '#kit/config';
import { mergeLabels, sameLabels } from '#kit/std';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, UsageError } from '../../command.ts';
import { eachThing } from '../../each-thing.ts';
import type { Resource } from '../../kinds/kind.ts';
import { kindsHelp } from '../../kinds/kinds.ts';
import { LabelSelector } from '../../kinds/label-selector.ts';
import { PLACE_SETTINGS, placeOf } from '../../kinds/place.ts';
import { readList } from '../../kinds/read-list.ts';
import { pathOf, readOne } from '../../kinds/read-one.ts';
import { readThings, someThings, type Thing } from '../../kinds/things.ts';
import { DRY_RUN_SETTING, inDryRun } from '../dry-run-setting.ts';

const SETTINGS = {
  selector: {
    kind: text('LABELS'),
    sentence: 'Instead of names: the resources with these labels, as env=prod,tier in (web,api); -l for short.',
    group: 'Which',
    from: ['flag'],
  },
  all: {
    kind: boolean(),
    default: 'false',
    sentence: 'Instead of names: all resources of the kind, in the workspace.',
    group: 'Which',
    from: ['flag'],
  },
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
      usage: 'fleetshift label KIND NAME... | KIND/NAME... | KIND -l LABELS|--all KEY=VALUE... KEY-... [flags]',
      summary: `Sets labels, and removes those with a trailing dash: "fleetshift label target prod-1 env=prod old-".\nA failure does not stop the others.\n\n${kindsHelp(({ labelled }) => labelled === true)}`,
      settings: SETTINGS,
    }),
  async run(args, io, signal) {
    const command = readClientCommand({ settings: SETTINGS, expects: ['KIND'], more: true }, args, io);
    const { patch, words } = readLabelling(command.positionals);
    const things = await chosenThings(command, words, signal);
    const tasks = things.map((thing) => {
      const name = `${thing.kind.name}/${thing.name}`;
      return { name, run: async () => io.out(`${name} ${await labelThing(command, { thing, patch }, signal)}\n`) };
    });
    if (tasks.length === 0) io.err('no resources to label\n');
    return await eachThing(tasks, io, signal);
  },
};

type LabelCommand = ReturnType<typeof readClientCommand<typeof SETTINGS>>;

async function chosenThings(
  { api, values, contextWorkspace }: LabelCommand,
  words: readonly string[],
  signal: AbortSignal,
): Promise<readonly Thing[]> {
  const { selector, all, workspace } = values;
  const { kind, things } = readThings(words);
  for (const { plural, labelled } of [kind, ...things.map((thing) => thing.kind)]) {
    if (!labelled) throw new UsageError(`${plural} have no labels`);
  }
  if (selector === undefined && !all) return someThings(words, 'label');
  if (things.length > 0 || (selector !== undefined && all)) throw new UsageError('names, -l and --all: choose one');
  const filter = selector === undefined ? undefined : LabelSelector.parse(selector).toFilter();
  const { items } = await readList(
    api,
    { kind, place: placeOf(kind, { workspace }, contextWorkspace), query: { filter } },
    signal,
  );
  return items.map((item) => ({ kind, name: kind.nameOf?.(item) ?? '' }));
}

async function labelThing(
  { api, values, contextWorkspace }: LabelCommand,
  { thing, patch }: { readonly thing: Thing; readonly patch: LabelsPatch },
  signal: AbortSignal,
): Promise<string> {
  const { workspace, overwrite, dryRun } = values;
  const place = placeOf(thing.kind, { workspace }, contextWorkspace);
  const current = await readOne(api, { ...thing, place }, signal);
  const labels = current['labels'] as Readonly<Record<string, string>>;
  if (!overwrite) refuseToOverwrite(labels, patch);
  if (sameLabels(labels, mergeLabels(labels, patch))) return 'unchanged';
  const call = { path: pathOf(thing, place), body: { labels: patch }, query: dryRun ? { dryRun } : {} };
  await api.patch(thing.kind.schema, { ...call, ifMatch: String(current['etag']) }, signal);
  return `labelled${inDryRun(dryRun)}`;
}

type LabelsPatch = Readonly<Record<string, string | null>>;

/** Changes are the words after the names; a name has neither "=" nor a dash at its end. */
function readLabelling(positionals: readonly string[]): {
  readonly words: readonly string[];
  readonly patch: LabelsPatch;
} {
  const first = positionals.findIndex((word, index) => index > 0 && (word.includes('=') || word.endsWith('-')));
  const words = first < 0 ? positionals : positionals.slice(0, first);
  const changes = (first < 0 ? [] : positionals.slice(first)).map(readChange);
  if (changes.length === 0) throw new UsageError('missing labels: KEY=VALUE sets one, KEY- removes one');
  const twice = changes.find(([key], index) => changes.findIndex(([other]) => other === key) !== index);
  if (twice !== undefined) throw new UsageError(`the label ${twice[0]} is named twice`);
  return { words, patch: Object.fromEntries(changes) };
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
