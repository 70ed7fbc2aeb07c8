import { type Resolved, resolveSettings, type Settings } from '#kit/config';
import { type Io, UsageError } from '../command.ts';
import { ApiClient } from './api-client.ts';
import type { CLIENT_SETTINGS } from './client-settings.ts';
import { findPlatform } from './find-platform.ts';
import { splitArguments } from './split-arguments.ts';

export interface ClientCommand<S extends Settings> {
  readonly api: ApiClient;
  readonly values: Resolved<S>['values'];
  /** The positional arguments: as many as there are names, or more if `more` is set. */
  readonly positionals: readonly string[];
  /** The workspace of the context, used when the command names none. */
  readonly contextWorkspace: string | undefined;
}

export interface ClientCommandOptions<S extends Settings> {
  readonly settings: S;
  /** The names of positional arguments: `['ID']`. */
  readonly expects: readonly string[];
  /** Whether more arguments may follow. */
  readonly more?: boolean;
}

/** Parses the arguments of a command that talks to a platform, and finds the platform. */
export function readClientCommand<S extends Settings & typeof CLIENT_SETTINGS>(
  { settings, expects, more = false }: ClientCommandOptions<S>,
  args: readonly string[],
  { environment }: Pick<Io, 'environment'>,
): ClientCommand<S> {
  const { positionals, flags } = splitArguments(settings, args);
  // The environment may also contain settings of the platform; unknown variables are not an error here.
  const ignoredVariables = [/^FLEETSHIFT_/];
  const resolved = resolveSettings({ settings, args: flags, environment, ignoredVariables, readText: () => '' });
  const missing = expects[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const extra = more ? undefined : positionals[expects.length];
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`);
  const client = resolved as unknown as Resolved<typeof CLIENT_SETTINGS>;
  const { connect, workspace } = findPlatform(client, environment);
  return { api: new ApiClient(connect), values: resolved.values, positionals, contextWorkspace: workspace };
}
