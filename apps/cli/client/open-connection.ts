import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment, Resolved } from '#kit/config';
import { Secret } from '#kit/std';
import { readDefaultWorkspace } from '#runtime/instance/default-workspace';
import { endpointsFile } from '#runtime/instance/endpoints-file';
import { isLoopback } from '#runtime/process/loopback';
import { UsageError } from '../command.ts';
import type { CliContext } from '../config-file/cli-config.ts';
import { ClientError } from './client-error.ts';
import type { CLIENT_SETTINGS } from './client-settings.ts';

/** The address and the credentials of a platform. */
export interface Connection {
  readonly server: URL;
  /** Absent when not logged in: a platform on this machine may accept anonymous requests. */
  readonly token?: Secret<string> | undefined;
  /** In PEM, in addition to the authorities that this machine trusts. */
  readonly authority: string | undefined;
}

/** Called for each request, so that a long-running command survives the expiry of its first token. */
export type Connect = (signal: AbortSignal) => Promise<Connection>;

type ClientValues = Resolved<typeof CLIENT_SETTINGS>;

const LOCAL = 'http://127.0.0.1:8700';
/** The characters allowed in a header value. */
const TOKEN = /^[\x21-\x7e]{1,4096}$/;

/** Reads flags and variables, and falls back to the context except for its login. */
export function openConnection(
  resolved: ClientValues,
  environment: Environment,
  context: CliContext | undefined,
): Connection {
  const { caFile, data, server = new URL(context?.server ?? servedFrom(data) ?? LOCAL) } = resolved.values;
  checkServer(server);
  const authority = caFile === undefined ? context?.ca : readPem(caFile);
  const given = givenToken(resolved, environment);
  const isLoggedIn = context?.credentials !== undefined;
  return { server, token: given ?? (isLoggedIn ? undefined : localToken(server, data, context)), authority };
}

function checkServer(server: URL): void {
  if (server.username !== '' || server.password !== '' || server.search !== '' || server.hash !== '') {
    throw new UsageError(
      '--server must be an address without credentials, query or fragment: the token comes from --token-file or FLEETSHIFT_TOKEN',
    );
  }
  if (server.protocol === 'http:' && !isOnThisMachine(server)) {
    throw new UsageError(
      `${server.origin} is not on this machine, and plain HTTP would expose the token on the network; use https`,
    );
  }
}

function givenToken({ values, origins }: ClientValues, environment: Environment): Secret<string> | undefined {
  const { tokenFile } = values;
  const inEnvironment = environment['FLEETSHIFT_TOKEN'];
  if (tokenFile === undefined) return inEnvironment ? checked(inEnvironment, 'FLEETSHIFT_TOKEN') : undefined;
  if (inEnvironment && origins['token-file'].kind === 'environment') {
    throw new UsageError('FLEETSHIFT_TOKEN and FLEETSHIFT_TOKEN_FILE are both set; unset one of them');
  }
  return checked(readTokenFile(tokenFile), tokenFile);
}

/**
 * The token in the data folder is only for the platform of that folder: it is sent to the addresses that this platform
 * recorded there, and to no other program on this machine.
 */
function localToken(server: URL, data: string, context: CliContext | undefined): Secret<string> | undefined {
  if (!isOnThisMachine(server)) {
    const where = context === undefined ? `--server ${server.origin}` : `--context ${context.name}`;
    const act = `run: fleetshift login ${where}, or give a token with --token-file`;
    throw new ClientError('NO_TOKEN', `not logged in at ${server.origin}; ${act}`);
  }
  const file = join(data, 'admin-token');
  return isServedFrom(data, server) && existsSync(file) ? checked(readTokenFile(file), file) : undefined;
}

/** The workspace that the platform of this folder names for commands without one. */
export function defaultWorkspaceAt(server: URL, data: string): string | undefined {
  const workspace = readDefaultWorkspace(data);
  return workspace !== undefined && isServedFrom(data, server) ? workspace : undefined;
}

function isServedFrom(data: string, { origin }: URL): boolean {
  return urlsOf(data).some((url) => url.origin === origin);
}

/** The addresses at which the platform of that folder is known to listen. */
function servedFrom(data: string): string | undefined {
  return urlsOf(data).find((url) => url.protocol === 'http:' && isOnThisMachine(url))?.origin;
}

/** The addresses of the platform of this folder. Without the file it is not running, or does not belong to this folder. */
export function urlsOf(data: string): readonly URL[] {
  try {
    const { urls } = JSON.parse(readFileSync(endpointsFile(data), 'utf8')) as { readonly urls?: unknown };
    if (!Array.isArray(urls)) return [];
    return urls.map((url) => URL.parse(String(url))).filter((url) => url !== null);
  } catch {
    return [];
  }
}

function checked(text: string, source: string): Secret<string> {
  if (TOKEN.test(text)) return new Secret(text);
  throw new ClientError('NO_TOKEN', `${source} does not contain a token; write one there, or run: fleetshift login`);
}

function readTokenFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    const why = isMissing ? 'no such file' : cause instanceof Error ? cause.message : String(cause);
    const act = 'name another file with --token-file, or run: fleetshift login';
    throw new ClientError('NO_TOKEN', `cannot read the token in ${file}: ${why}; ${act}`, { cause });
  }
}

function readPem(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`--ca-file ${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new UsageError(`--ca-file ${file}: no certificate in PEM`);
  return text;
}

function isOnThisMachine({ hostname }: URL): boolean {
  return isLoopback(hostname.replace(/^\[|\]$/g, ''));
}
