import type { Environment, Resolved } from '#kit/config';
import { UsageError } from '../command.ts';
import { type CliContext, contextIn } from '../config-file/cli-config.ts';
import { configFilePath, readConfigFile } from '../config-file/config-file.ts';
import { ClientError } from './client-error.ts';
import type { CLIENT_SETTINGS } from './client-settings.ts';
import { type Connect, type Connection, defaultWorkspaceAt, openConnection } from './open-connection.ts';

export interface FoundPlatform {
  readonly connect: Connect;
  /** The workspace of the context, or of the platform of the data folder; used when the command names none. */
  readonly workspace: string | undefined;
}

type ClientValues = Resolved<typeof CLIENT_SETTINGS>;

/**
 * Flags take precedence over variables, and variables over the context. The login of a context is sent only to its own
 * server: with another server, the caller must also give a token.
 */
export function findPlatform(resolved: ClientValues, environment: Environment): FoundPlatform {
  const { values } = resolved;
  const file = configFilePath(environment);
  const context = chooseContext(values, contextIn(readConfigFile(file), values.context));
  const connection = openConnection(resolved, environment, context);
  const workspace = context === undefined ? defaultWorkspaceAt(connection.server, values.data) : context.workspace;
  if (connection.token !== undefined || context?.credentials === undefined) {
    return { connect: async () => connection, workspace };
  }
  const { authority } = connection;
  return { connect: async (signal) => ({ ...(await byContext(file, context.name, signal)), authority }), workspace };
}

/** Undefined when the context is about another platform than the one requested. */
function chooseContext({ server, context: named }: ClientValues['values'], context: CliContext | undefined) {
  if (context === undefined || server === undefined || new URL(context.server).href === server.href) return context;
  if (named === undefined) return undefined;
  throw new UsageError(`the context ${named} belongs to ${context.server}; leave out either --server or --context`);
}

/** Imported on demand: refreshing a login loads large modules, and most commands do not need it. */
async function byContext(file: string, name: string, signal: AbortSignal): Promise<Connection> {
  const { contextConnection } = await import('../login/context-connection.ts');
  const connection = await contextConnection({ file, name }, signal);
  if (connection === undefined) throw new ClientError('NO_TOKEN', 'not logged in; run: fleetshift login');
  return connection;
}
