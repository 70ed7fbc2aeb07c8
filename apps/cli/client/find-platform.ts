import type { Environment, Resolved } from '#kit/config';
import { UsageError } from '../command.ts';
import { type CliContext, contextIn } from '../config-file/cli-config.ts';
import { configFilePath, readConfigFile } from '../config-file/config-file.ts';
import { ClientError } from './client-error.ts';
import type { CLIENT_SETTINGS } from './client-settings.ts';
import { type Connect, type Connection, openConnection } from './open-connection.ts';

export interface FoundPlatform {
  readonly connect: Connect;
  /** The workspace that the context means when none is named. */
  readonly workspace: string | undefined;
}

type ClientValues = Resolved<typeof CLIENT_SETTINGS>;

/**
 * By flags, by variables, then by the context. Its login goes to its own server alone: whoever names another server names
 * the token as well.
 */
export function findPlatform(resolved: ClientValues, environment: Environment): FoundPlatform {
  const { values } = resolved;
  const file = configFilePath(environment);
  const context = chooseContext(values, contextIn(readConfigFile(file), values.context));
  const connection = openConnection(resolved, environment, context);
  const workspace = context?.workspace;
  if (connection.token !== undefined || context?.credentials === undefined) {
    return { connect: async () => connection, workspace };
  }
  const { authority } = connection;
  return { connect: async (signal) => ({ ...(await byContext(file, context.name, signal)), authority }), workspace };
}

/** Undefined when it is about another platform than the one that is asked. */
function chooseContext({ server, context: named }: ClientValues['values'], context: CliContext | undefined) {
  if (context === undefined || server === undefined || new URL(context.server).href === server.href) return context;
  if (named === undefined) return undefined;
  throw new UsageError(`the context ${named} is about ${context.server}; leave out either --server or --context`);
}

/** Imported when it is needed: what refreshes a login is large, and most commands do without. */
async function byContext(file: string, name: string, signal: AbortSignal): Promise<Connection> {
  const { contextConnection } = await import('../login/context-connection.ts');
  const connection = await contextConnection({ file, name }, signal);
  if (connection === undefined) throw new ClientError('NO_TOKEN', 'nobody is logged in here; run: fleetshift login');
  return connection;
}
