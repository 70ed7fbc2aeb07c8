import { type Resolved, resolveSettings, type Settings } from '#kit/config';
import { type Io, UsageError } from '../command.ts';
import { ApiClient } from './api-client.ts';
import type { CLIENT_SETTINGS } from './client-settings.ts';
import { findPlatform } from './find-platform.ts';
import { splitArguments } from './split-arguments.ts';

export interface ClientCommand<S extends Settings> {
  readonly api: ApiClient;
  readonly values: Resolved<S>['values'];
  /** As many as there are names for them, or more where more are welcome. */
  readonly positionals: readonly string[];
  /** The workspace that the context means when none is named. */
  readonly contextWorkspace: string | undefined;
}

export interface ClientCommandOptions<S extends Settings> {
  readonly settings: S;
  /** What stands there beside flags: `['ID']`. */
  readonly expects: readonly string[];
  /** More may follow behind those. */
  readonly more?: boolean;
}

/** Reads the arguments of a command that talks to a platform, and finds the platform. */
export function readClientCommand<S extends Settings & typeof CLIENT_SETTINGS>(
  { settings, expects, more = false }: ClientCommandOptions<S>,
  args: readonly string[],
  { environment }: Pick<Io, 'environment'>,
): ClientCommand<S> {
  const { positionals, flags } = splitArguments(settings, args);
  // What the platform reads from the same environment is not ours to judge.
  const ignoredVariables = [/^FLEETSHIFT_/];
  const resolved = resolveSettings({ settings, args: flags, environment, ignoredVariables, readText: () => '' });
  const missing = expects[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const extra = more ? undefined : positionals[expects.length];
  if (extra !== undefined) throw new UsageError(`"${extra}": an argument that is not expected here`);
  const client = resolved as unknown as Resolved<typeof CLIENT_SETTINGS>;
  const { connect, workspace } = findPlatform(client, environment);
  return { api: new ApiClient(connect), values: resolved.values, positionals, contextWorkspace: workspace };
}
