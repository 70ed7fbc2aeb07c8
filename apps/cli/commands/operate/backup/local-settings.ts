import { join, resolve } from 'node:path';
import { path, resolveSettings, type Settings, type Values } from '#kit/config';
import { databaseKind } from '#runtime/instance/database-kind';
import { splitArguments } from '../../../client/split-arguments.ts';
import { type Io, UsageError } from '../../../command.ts';

const from = ['flag', 'environment'] as const;

/** The location of a platform's data, for commands that access it directly. The same settings as for `serve`. */
export const LOCAL_SETTINGS = {
  data: {
    kind: path('FOLDER'),
    default: './.fleetshift',
    sentence: 'Data folder of the platform.',
    group: 'Data',
    from,
  },
  database: {
    kind: databaseKind,
    default: 'sqlite',
    sentence:
      'Database of the platform: sqlite for a file in --data, or the URL of a Postgres database. Pass a URL with a password by variable: other users of a machine can see the flags of a process.',
    group: 'Data',
    from,
  },
  'key-file': {
    kind: path(),
    unset: '<data>/keys.json',
    sentence: 'File with the keys that encrypt its secrets.',
    group: 'Data',
    from,
  },
} as const satisfies Settings;

export type LocalValues = Values<typeof LOCAL_SETTINGS>;

/** The files of a platform on this machine, by the names that `serve` gives them. */
export interface LocalFiles {
  readonly folder: string;
  readonly databaseFile: string;
  readonly keyFile: string;
}

export function filesOf({ data, keyFile }: LocalValues): LocalFiles {
  const folder = resolve(data);
  return {
    folder,
    databaseFile: join(folder, 'fleetshift.db'),
    keyFile: keyFile === undefined ? join(folder, 'keys.json') : resolve(keyFile),
  };
}

export interface LocalCommandOptions<S extends Settings> {
  readonly settings: S;
  /** The names of positional arguments: `['FILE']`. */
  readonly expects: readonly string[];
}

export function readLocalCommand<S extends Settings>(
  { settings, expects }: LocalCommandOptions<S>,
  args: readonly string[],
  { environment }: Pick<Io, 'environment'>,
): { readonly values: Values<S>; readonly positionals: readonly string[] } {
  const { positionals, flags } = splitArguments(settings, args);
  // The environment may also contain settings of the platform; unknown variables are not an error here.
  const ignoredVariables = [/^FLEETSHIFT_/];
  const { values } = resolveSettings({ settings, args: flags, environment, ignoredVariables, readText: () => '' });
  const missing = expects[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const extra = positionals[expects.length];
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`);
  return { values, positionals };
}
