import { boolean, helpText, integer, oneOf, type Settings, text } from '#kit/config';
import { sleep } from '#kit/std';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, EXIT, type ExitCode, type Io, UsageError } from '../../command.ts';
import { eachThing } from '../../each-thing.ts';
import type { Kind, Resource } from '../../kinds/kind.ts';
import { kindsHelp } from '../../kinds/kinds.ts';
import { LabelSelector } from '../../kinds/label-selector.ts';
import { PLACE_SETTINGS, placeOf } from '../../kinds/place.ts';
import { readList } from '../../kinds/read-list.ts';
import { readOne } from '../../kinds/read-one.ts';
import { readThings, type Thing } from '../../kinds/things.ts';
import { renderData } from '../../output/render-data.ts';
import { ITEM_FORMATS, type ItemFormat, renderItems, renderManifests } from '../../output/render-items.ts';

const group = 'Which and how';
const from = ['flag'] as const;

const SETTINGS = {
  output: {
    kind: oneOf(ITEM_FORMATS),
    default: 'table',
    sentence: 'Output format; -o for short. json and yaml have all fields of the API; manifest is the input of apply.',
    group,
    from,
  },
  selector: {
    kind: text('LABELS'),
    sentence: 'Only resources with these labels, as env=prod,tier in (web,api),!old; -l for short.',
    group,
    from,
  },
  filter: { kind: text('CEL'), sentence: 'Only resources that match this condition.', group, from },
  limit: {
    kind: integer({ min: 1, max: 1_000_000 }),
    unset: 'all; for audit entries 100',
    sentence: 'The maximum number of resources.',
    group,
    from,
  },
  watch: {
    kind: boolean(),
    default: 'false',
    sentence: 'Then watch for changes until interrupted.',
    group,
    from,
  },
  ...PLACE_SETTINGS,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

export const get: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift get KIND [NAME...] | KIND/NAME... [flags]',
      summary: `Lists the resources of a kind, or shows the named ones.\n\n${kindsHelp()}`,
      settings: SETTINGS,
    }),
  async run(args, io, signal) {
    const command = readClientCommand({ settings: SETTINGS, expects: ['KIND'], more: true }, args, io);
    const { kind, things } = readThings(command.positionals);
    const get = { ...command, kind, io };
    if (command.values.watch) return await watch(get, things, signal);
    return things.length > 0 ? await getThings(get, things, signal) : await getList(get, signal);
  },
};

type Get = ReturnType<typeof readClientCommand<typeof SETTINGS>> & { readonly kind: Kind; readonly io: Io };

async function getList({ api, values, contextWorkspace, kind, io }: Get, signal: AbortSignal): Promise<ExitCode> {
  const place = placeOf(kind, values, contextWorkspace);
  const limit = values.limit ?? kind.limit;
  const filter = filterOf(kind, values);
  const { items, more } = await readList(api, { kind, place, query: { filter }, limit }, signal);
  if (items.length === 0 && ['table', 'wide'].includes(values.output)) {
    const where = place.workspace === undefined || kind.list(place).path.length === 1 ? '' : ` in ${place.workspace}`;
    io.err(`no ${kind.plural}${where}\n`);
  } else {
    await print({ kind, io, format: values.output, data: { items } }, items);
  }
  if (more && limit !== undefined) io.err(`there are more; --limit ${limit * 10} shows more of them\n`);
  return EXIT.ok;
}

async function getThings(
  { api, values, contextWorkspace, kind, io }: Get,
  things: readonly Thing[],
  signal: AbortSignal,
): Promise<ExitCode> {
  if (values.selector !== undefined || values.filter !== undefined || values.limit !== undefined) {
    throw new UsageError('--selector, --filter and --limit are for lists; leave them out, or leave out the names');
  }
  const found: { kind: Kind; item: Resource }[] = [];
  const tasks = things.map((thing) => ({
    name: `${thing.kind.name}/${thing.name}`,
    run: async () => {
      if (thing.kind.nameOf === undefined)
        throw new UsageError(`${thing.kind.plural} has no names and can only be listed`);
      const place = placeOf(thing.kind, values, contextWorkspace);
      found.push({ kind: thing.kind, item: await readOne(api, { ...thing, place }, signal) });
    },
  }));
  const code = await eachThing(tasks, io, signal);
  const items = found.map(({ item }) => item);
  if (values.output === 'json' || values.output === 'yaml') {
    const data = things.length === 1 ? items[0] : { items };
    await print({ kind, io, format: values.output, data }, items);
    return code;
  }
  for (const [each, group] of Map.groupBy(found, (one) => one.kind)) {
    const own = group.map(({ item }) => item);
    await print({ kind: each, io, format: values.output, data: undefined }, own);
  }
  return code;
}

async function watch(
  { api, values, contextWorkspace, kind, io }: Get,
  things: readonly Thing[],
  signal: AbortSignal,
): Promise<never> {
  const { output, selector, filter, limit, subtree, inherited } = values;
  if (kind.events === undefined) throw new UsageError(`${kind.plural} cannot be watched: they have no events`);
  if (things.length > 0) throw new UsageError('--watch is for lists; leave out the names');
  if (output === 'manifest') throw new UsageError('--watch does not support -o manifest; use -o yaml');
  if (filter !== undefined || limit !== undefined || subtree || inherited) {
    throw new UsageError('--watch supports -w, -A and -l; leave out --filter, --limit, --subtree and --inherited');
  }
  const place = placeOf(kind, values, contextWorkspace);
  const [{ ChangeRenderer }, { watchKind }] = await Promise.all([
    import('../../watch/render-changes.ts'),
    import('../../watch/watch-kind.ts'),
  ]);
  const renderer = new ChangeRenderer(kind, output);
  return await watchKind(
    {
      api,
      kind,
      events: kind.events,
      place,
      selector: selectorOf(kind, selector),
      sleep,
      random: Math.random,
      tell: (changes) => io.out(renderer.render(changes)),
      note: (words) => io.err(words),
    },
    signal,
  );
}

function filterOf(kind: Kind, { selector, filter }: { selector?: string | undefined; filter?: string | undefined }) {
  const byLabels = selectorOf(kind, selector)?.toFilter();
  if (byLabels === undefined || filter === undefined) return byLabels ?? filter;
  return `(${byLabels}) && (${filter})`;
}

function selectorOf(kind: Kind, selector: string | undefined): LabelSelector | undefined {
  if (selector === undefined) return undefined;
  if (!kind.labelled) throw new UsageError(`--selector: ${kind.plural} have no labels; use --filter`);
  return LabelSelector.parse(selector);
}

interface Printing {
  readonly kind: Kind;
  readonly io: Io;
  readonly format: ItemFormat;
  readonly data: unknown;
}

async function print({ kind, io, format, data }: Printing, items: readonly Resource[]): Promise<void> {
  switch (format) {
    case 'json':
    case 'yaml':
      return io.out(renderData(format, data));
    case 'manifest':
      return io.out(await renderManifests(kind, items));
    case 'name':
      if (kind.nameOf === undefined) throw new UsageError(`-o name: ${kind.plural} has no names`);
      return io.out(renderItems(kind, items, format));
    case 'table':
    case 'wide':
      return io.out(renderItems(kind, items, format));
  }
}
