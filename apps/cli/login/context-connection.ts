import { Secret } from '#kit/std';
import { ClientError } from '../client/client-error.ts';
import type { Connection } from '../client/open-connection.ts';
import { type CliContext, type Credentials, contextIn, withContext } from '../config-file/cli-config.ts';
import { changeConfigFile, readConfigFile } from '../config-file/config-file.ts';
import { platformAddress } from './platform-address.ts';

export interface WhichContext {
  readonly file: string;
  /** The current context by default. */
  readonly name: string | undefined;
}

/** A token that expires sooner than this could expire on the way. */
const REFRESH_BEFORE_MS = 60_000;
const REFRESH_MS = 30_000;

/** The connection to the platform of a context; `undefined` when no context is named and none is current. */
export async function contextConnection(which: WhichContext, signal: AbortSignal): Promise<Connection | undefined> {
  const context = contextIn(readConfigFile(which.file), which.name);
  if (context === undefined) return undefined;
  const { server, authority } = platformAddress(new URL(context.server), context.ca);
  if (context.credentials === undefined) throw notLoggedIn(context);
  const fresh = isFresh(context.credentials) ? context.credentials : await refresh(which, context.name, signal);
  return { server, authority, token: new Secret(tokenOf(fresh)) };
}

export function tokenOf(credentials: Credentials): string {
  return credentials.kind === 'issuer' ? credentials.idToken : credentials.token;
}

/** Refreshes under the lock, after reading the file again: another process may have refreshed meanwhile. */
async function refresh({ file }: WhichContext, name: string, signal: AbortSignal): Promise<Credentials> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(REFRESH_MS)]);
  const change = async (
    ...[config, write]: Parameters<Parameters<typeof changeConfigFile>[1]>
  ): Promise<Credentials> => {
    const context = contextIn(config, name);
    const credentials = context?.credentials;
    if (context === undefined || credentials === undefined) throw notLoggedIn({ name });
    if (isFresh(credentials) || credentials.kind !== 'issuer') return credentials;
    // Most tokens are fresh, and the modules that refresh one are large.
    const { refreshed } = await import('./issuer-connection.ts');
    const next = await refreshed(credentials, bounded);
    write({ ...withContext(config, { ...context, credentials: next }), ...currentOf(config.currentContext) });
    return next;
  };
  return await changeConfigFile(file, change, bounded);
}

/** Refreshing a context does not make it the current one. */
function currentOf(currentContext: string | undefined): { readonly currentContext?: string } {
  return currentContext === undefined ? {} : { currentContext };
}

/** A token that cannot be refreshed is sent as it is; the platform then reports what is wrong with it. */
function isFresh(credentials: Credentials): boolean {
  if (credentials.kind !== 'issuer' || credentials.refreshToken === undefined) return true;
  return Date.parse(credentials.expireTime) - Date.now() > REFRESH_BEFORE_MS;
}

function notLoggedIn({ name }: Pick<CliContext, 'name'>): ClientError {
  return new ClientError('NO_TOKEN', `not logged in with the context ${name}; run: fleetshift login --context ${name}`);
}
