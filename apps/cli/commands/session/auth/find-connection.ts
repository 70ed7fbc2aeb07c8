import { type Resolved, resolveSettings, type Settings } from '#kit/config';
import type { CLIENT_SETTINGS } from '../../../client/client-settings.ts';
import { findPlatform } from '../../../client/find-platform.ts';
import type { Connect } from '../../../client/open-connection.ts';
import { splitArguments } from '../../../client/split-arguments.ts';
import type { Io } from '../../../command.ts';
import { type CliContext, contextIn } from '../../../config-file/cli-config.ts';
import { configFilePath, readConfigFile } from '../../../config-file/config-file.ts';

export interface FoundConnection<S extends Settings> {
  readonly connect: Connect;
  readonly values: Resolved<S>['values'];
  readonly positionals: readonly string[];
  /** The selected context as currently stored; `undefined` when flags name another platform. */
  context(): CliContext | undefined;
  /** The workspace of the context, used when the command names none. */
  readonly contextWorkspace: string | undefined;
}

/** Like `readClientCommand`, for commands that need the address of the platform instead of a client. */
export function findConnection<S extends Settings & typeof CLIENT_SETTINGS>(
  settings: S,
  args: readonly string[],
  { environment }: Pick<Io, 'environment'>,
): FoundConnection<S> {
  const { positionals, flags } = splitArguments(settings, args);
  const ignoredVariables = [/^FLEETSHIFT_/];
  const resolved = resolveSettings({ settings, args: flags, environment, ignoredVariables, readText: () => '' });
  const client = resolved as unknown as Resolved<typeof CLIENT_SETTINGS>;
  const { connect, workspace } = findPlatform(client, environment);
  const { server, context: name } = client.values;
  return {
    connect,
    values: resolved.values,
    positionals,
    contextWorkspace: workspace,
    context: () => {
      const context = contextIn(readConfigFile(configFilePath(environment)), name);
      const isMeant = server === undefined || (context && new URL(context.server).href === server.href);
      return isMeant ? context : undefined;
    },
  };
}
