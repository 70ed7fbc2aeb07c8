import { boolean, helpText, oneOf, type Settings, suggestion } from '#kit/config';
import { DeadLetterPageSchema, DeadLetterSchema } from '#protocol/api';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, EXIT, type ExitCode, type Io, UsageError } from '../../command.ts';
import { OUTPUT_FORMATS, renderData } from '../../output/render-data.ts';
import { renderTable } from '../../output/render-table.ts';
import { renderTime } from '../../output/render-time.ts';
import { shorten } from '../../output/shorten.ts';
import { allPages } from '../access/all-pages.ts';

const from = ['flag'] as const;

const LIST = {
  output: {
    kind: oneOf(OUTPUT_FORMATS),
    default: 'table',
    sentence: 'Output format; -o for short. json and yaml have all fields of the API.',
    group: 'list',
    from,
  },
} as const satisfies Settings;

const CHANGE = {
  'dry-run': {
    kind: boolean(),
    default: 'false',
    sentence: 'Check whether the dead letter can be replayed or discarded, without doing it.',
    group: 'replay and discard',
    from,
  },
} as const satisfies Settings;

const LIST_SETTINGS = { ...LIST, ...CLIENT_SETTINGS } as const satisfies Settings;
const CHANGE_SETTINGS = { ...CHANGE, ...CLIENT_SETTINGS } as const satisfies Settings;
const SETTINGS: Settings = { ...LIST, ...CHANGE, ...CLIENT_SETTINGS };

type Verb = (args: readonly string[], io: Io, signal: AbortSignal) => Promise<ExitCode>;

const VERBS: Readonly<Record<string, Verb>> = {
  list,
  replay: (args, io, signal) => change('replay', { args, io }, signal),
  discard: (args, io, signal) => change('discard', { args, io }, signal),
};

const SUMMARY = `Shows what the platform could not process, and deals with it.

  list          lists messages of agents (status, index) and events (outbox), with the last error
  replay NAME   processes an event again; agents report their state again by themselves
  discard NAME  deletes the letter; an event is then never processed`;

const ERROR_LENGTH = 60;

export const deadLetter: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift dead-letter list|replay|discard [NAME] [flags]',
      summary: SUMMARY,
      settings: SETTINGS,
    }),
  async run([word, ...args], io, signal) {
    if (word === undefined) throw new UsageError(`missing action: one of ${Object.keys(VERBS).join(', ')}`);
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb !== undefined) return await verb(args, io, signal);
    const known = suggestion(word, Object.keys(VERBS));
    throw new UsageError(`unknown action "${word}"${known}\nsee: fleetshift dead-letter --help`);
  },
};

async function list(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const { api, values } = readClientCommand({ settings: LIST_SETTINGS, expects: [] }, args, io);
  const items = await allPages((which) =>
    api.get(DeadLetterPageSchema, { path: ['dead-letters'], query: { ...which } }, signal),
  );
  if (values.output !== 'table') io.out(renderData(values.output, { items }));
  else if (items.length === 0) io.err('no dead letters\n');
  else {
    const rows = items.map(({ source, subject, code, messages, lastTime, lastError, name }) => [
      source,
      subject,
      code,
      String(messages),
      renderTime(lastTime),
      shorten(lastError, ERROR_LENGTH),
      name,
    ]);
    io.out(renderTable(['SOURCE', 'SUBJECT', 'CODE', 'MESSAGES', 'LAST', 'ERROR', 'NAME'], rows));
  }
  return EXIT.ok;
}

interface Called {
  readonly args: readonly string[];
  readonly io: Io;
}

async function change(verb: 'replay' | 'discard', { args, io }: Called, signal: AbortSignal): Promise<ExitCode> {
  const { api, values, positionals } = readClientCommand({ settings: CHANGE_SETTINGS, expects: ['NAME'] }, args, io);
  const { dryRun } = values;
  const path = ['dead-letters', positionals[0] ?? ''];
  const query = dryRun ? { query: { dryRun } } : {};
  if (verb === 'discard') await api.delete({ path, ...query }, signal);
  else await api.post(DeadLetterSchema, { path, verb, ...query }, signal);
  io.err(dryRun ? `the ${verb} can be done\n` : verb === 'discard' ? 'discarded\n' : 'replayed\n');
  return EXIT.ok;
}
