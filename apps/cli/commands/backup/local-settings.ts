import { join, resolve } from 'node:path';
import { path, resolveSettings, type Settings, type Values } from '#kit/config';
import { databaseKind } from '../../../platform/database-kind.ts';
import { splitArguments } from '../../client/split-arguments.ts';
import { type Io, UsageError } from '../../command.ts';

const from = ['flag', 'environment'] as const;

/** Where the data of a platform is, for commands that work on it themselves. The same as `serve` has. */
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
      'Where its data lives: sqlite, a file in --data, or the URL of a Postgres database. Give a URL with a password by variable: other users of a machine can see the flags of a process.',
    group: 'Data',
    from,
  },
  'key-file': {
    kind: path(),
    unset: '<data>/keys.json',
    sentence: 'File with the keys that its secrets are sealed with.',
    group: 'Data',
    from,
  },
} as const satisfies Settings;

export type LocalValues = Values<typeof LOCAL_SETTINGS>;

/** What belongs to a platform on this machine, by the names that `serve` gives it. */
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
  /** What stands there beside flags: `['FILE']`. */
  readonly expects: readonly string[];
}

export function readLocalCommand<S extends Settings>(
  { settings, expects }: LocalCommandOptions<S>,
  args: readonly string[],
  { environment }: Pick<Io, 'environment'>,
): { readonly values: Values<S>; readonly positionals: readonly string[] } {
  const { positionals, flags } = splitArguments(settings, args);
  // What the platform reads from the same environment is not ours to judge.
  const ignoredVariables = [/^FLEETSHIFT_/];
  const { values } = resolveSettings({ settings, args: flags, environment, ignoredVariables, readText: () => '' });
  const missing = expects[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const extra = positionals[expects.length];
  if (extra !== undefined) throw new UsageError(`"${extra}": an argument that is not expected here`);
  return { values, positionals };
}
