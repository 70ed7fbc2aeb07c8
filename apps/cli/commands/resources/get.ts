import { boolean, helpText, integer, listOf, type Settings, text } from '#kit/config';
import { sleep } from '#kit/std';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, EXIT, type ExitCode, type Io, UsageError } from '../../command.ts';
import { eachThing } from '../../each-thing.ts';
import type { Kind, Resource } from '../../kinds/kind.ts';
import { kindNamed, kindsHelp } from '../../kinds/kinds.ts';
import { LabelSelector } from '../../kinds/label-selector.ts';
import { PLACE_SETTINGS, placeOf } from '../../kinds/place.ts';
import { readList } from '../../kinds/read-list.ts';
import { readOne } from '../../kinds/read-one.ts';
import { readThings, type Thing } from '../../kinds/things.ts';
import { type ItemFormat, itemFormat } from '../../output/item-format.ts';
import { renderData } from '../../output/render-data.ts';
import { renderManifests, renderNames, renderRows } from '../../output/render-items.ts';

const group = 'Which and how';
const from = ['flag'] as const;

const SETTINGS = {
  output: {
    kind: itemFormat(),
    default: 'table',
    sentence:
      'Output format; -o for short. json and yaml have all fields of the API; manifest is the input of apply; jsonpath takes a template as kubectl does, such as {.items[*].name}; custom-columns takes columns, such as NAME:.name,STAGE:.labels.stage.',
    group,
    from,
  },
  'label-columns': {
    kind: listOf(text('LABEL')),
    default: '',
    sentence: 'Labels to show in columns of their own; -L for short.',
    group,
    from,
  },
  'show-labels': { kind: boolean(), default: 'false', sentence: 'Show all labels in the last column.', group, from },
  headers: {
    kind: boolean(),
    default: 'true',
    sentence: 'Show the headings of tables; --no-headers leaves them out.',
    group,
    from,
  },
  'sort-by': {
    kind: text('PATH'),
    unset: 'the order of the platform',
    sentence: 'Sort by the field at this path, such as .createTime or .labels.stage.',
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

/** What belongs to a workspace and is worked with every day. */
const ALL = ['targets', 'deployments', 'approvals', 'service-accounts'];

export const get: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift get KIND[,KIND...]|all [NAME...] | KIND/NAME... [flags]',
      summary: `Lists the resources of a kind, or shows the named ones. "all" is ${ALL.join(', ')}.\n\n${kindsHelp()}`,
      settings: SETTINGS,
    }),
  async run(args, io, signal) {
    const command = readClientCommand({ settings: SETTINGS, expects: ['KIND'], more: true }, args, io);
    const kinds = severalKinds(command.positionals);
    if (kinds !== undefined) return await getKinds(command, { kinds, io }, signal);
    const { kind, things } = readThings(command.positionals);
    const get = { ...command, kind, io };
    if (command.values.watch) return await watch(get, things, signal);
    return things.length > 0 ? await getThings(get, things, signal) : await getList(get, signal);
  },
};

type GetCommand = ReturnType<typeof readClientCommand<typeof SETTINGS>>;
type Get = GetCommand & { readonly kind: Kind; readonly io: Io };

/** `all`, or `targets,deployments`. */
function severalKinds([words = '', ...names]: readonly string[]): readonly Kind[] | undefined {
  if (words !== 'all' && !words.includes(',')) return undefined;
  if (names.length > 0)
    throw new UsageError(`${words}: names belong to one kind; name resources as target/a deployment/b`);
  return (words === 'all' ? ALL : words.split(',')).map(kindNamed);
}

async function getKinds(
  command: GetCommand,
  { kinds, io }: { readonly kinds: readonly Kind[]; readonly io: Io },
  signal: AbortSignal,
): Promise<ExitCode> {
  const { output, watch: watches } = command.values;
  if (watches) throw new UsageError('--watch is for one kind');
  if (!['table', 'wide', 'name'].includes(output.kind)) throw new UsageError(`-o ${output.kind} is for one kind`);
  let shown = 0;
  for (const kind of kinds) {
    const { items } = await readSorted({ ...command, kind, io }, signal);
    if (items.length === 0) continue;
    if (shown > 0 && output.kind !== 'name') io.out('\n');
    io.out(await rendered(kind, command.values, { items, data: undefined, kindInName: true }));
    shown += items.length;
  }
  if (shown === 0) io.err(`no ${kinds.map(({ plural }) => plural).join(', ')}\n`);
  return EXIT.ok;
}

async function getList(get: Get, signal: AbortSignal): Promise<ExitCode> {
  const { values, kind, io } = get;
  const { items, more, place, limit } = await readSorted(get, signal);
  if (items.length === 0 && ['table', 'wide', 'custom-columns'].includes(values.output.kind)) {
    const where = place.workspace === undefined || kind.list(place).path.length === 1 ? '' : ` in ${place.workspace}`;
    io.err(`no ${kind.plural}${where}\n`);
  } else {
    io.out(await rendered(kind, values, { items, data: { items } }));
  }
  if (more && limit !== undefined) io.err(`there are more; --limit ${limit * 10} shows more of them\n`);
  return EXIT.ok;
}

async function readSorted({ api, values, contextWorkspace, kind }: Get, signal: AbortSignal) {
  const place = placeOf(kind, values, contextWorkspace);
  const limit = values.limit ?? kind.limit;
  const { items, more } = await readList(
    api,
    { kind, place, query: { filter: filterOf(kind, values) }, limit },
    signal,
  );
  return { items: await sorted(values, items), more, place, limit };
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
  const items = await sorted(
    values,
    found.map(({ item }) => item),
  );
  if (['json', 'yaml', 'jsonpath'].includes(values.output.kind)) {
    const data = things.length === 1 ? items[0] : { items };
    if (data !== undefined) io.out(await rendered(kind, values, { items, data }));
    return code;
  }
  for (const [each, group] of Map.groupBy(found, (one) => one.kind)) {
    const own = await sorted(
      values,
      group.map(({ item }) => item),
    );
    io.out(await rendered(each, values, { items: own, data: undefined }));
  }
  return code;
}

async function watch(
  { api, values, contextWorkspace, kind, io }: Get,
  things: readonly Thing[],
  signal: AbortSignal,
): Promise<never> {
  const { output, selector, filter, limit, subtree, inherited, sortBy } = values;
  if (kind.events === undefined) throw new UsageError(`${kind.plural} cannot be watched: they have no events`);
  if (things.length > 0) throw new UsageError('--watch is for lists; leave out the names');
  if (output.kind === 'manifest' || 'template' in output) {
    throw new UsageError(`--watch does not support -o ${output.kind}; use -o yaml`);
  }
  if (sortBy !== undefined) throw new UsageError('--watch shows changes as they come; leave out --sort-by');
  if (filter !== undefined || limit !== undefined || subtree || inherited) {
    throw new UsageError('--watch supports -w, -A and -l; leave out --filter, --limit, --subtree and --inherited');
  }
  const place = placeOf(kind, values, contextWorkspace);
  const [{ ChangeRenderer }, { watchKind }] = await Promise.all([
    import('../../watch/render-changes.ts'),
    import('../../watch/watch-kind.ts'),
  ]);
  const renderer = new ChangeRenderer(kind, output.kind, tableOptions(kind, values));
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

type Values = GetCommand['values'];

/** Loaded on demand, as most lists are shown in the order of the platform. */
async function sorted({ sortBy }: Values, items: readonly Resource[]): Promise<readonly Resource[]> {
  if (sortBy === undefined) return items;
  const { sortedBy } = await import('../../output/render-columns.ts');
  return sortedBy(sortBy, items);
}

function tableOptions(kind: Kind, { labelColumns, showLabels, headers }: Values) {
  if ((labelColumns.length > 0 || showLabels) && !kind.labelled) {
    throw new UsageError(`${kind.plural} have no labels; leave out ${showLabels ? '--show-labels' : '-L'}`);
  }
  return { labelColumns, showLabels, headers };
}

interface Shown {
  readonly items: readonly Resource[];
  /** For formats of programs. */
  readonly data: unknown;
  readonly kindInName?: boolean;
}

async function rendered(kind: Kind, values: Values, { items, data, kindInName = false }: Shown): Promise<string> {
  const format: ItemFormat = values.output;
  switch (format.kind) {
    case 'json':
    case 'yaml':
      return renderData(format.kind, data);
    case 'jsonpath':
      return (await import('../../output/json-path.ts')).renderTemplate(format.template, data);
    case 'custom-columns': {
      const { renderCustomColumns } = await import('../../output/render-columns.ts');
      return renderCustomColumns(format.template, items, values.headers);
    }
    case 'manifest':
      return await renderManifests(kind, items);
    case 'name':
      if (kind.nameOf === undefined) throw new UsageError(`-o name: ${kind.plural} has no names`);
      return renderNames(kind, items);
    case 'table':
    case 'wide':
      return renderRows(kind, items, { ...tableOptions(kind, values), kindInName, wide: format.kind === 'wide' });
  }
}
