import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment, Resolved } from '#kit/config';
import { Secret } from '#kit/std';
import { isLoopback } from '../../platform/loopback.ts';
import { UsageError } from '../command.ts';
import { ClientError } from './client-error.ts';
import type { CLIENT_SETTINGS } from './client-settings.ts';

/** Everything that it takes to ask a platform. */
export interface Connection {
  readonly server: URL;
  readonly token: Secret<string>;
  /** In PEM, beside those that this machine trusts anyway. */
  readonly authority: string | undefined;
}

type ClientValues = Resolved<typeof CLIENT_SETTINGS>;

/** What a header can carry. */
const TOKEN = /^[\x21-\x7e]{1,4096}$/;

export function openConnection({ values, origins }: ClientValues, environment: Environment): Connection {
  const { server, caFile } = values;
  checkServer(server);
  const authority = caFile === undefined ? undefined : readPem(caFile);
  const token = readToken({ values, origins }, environment);
  if (!TOKEN.test(token.text)) throw new ClientError('NO_TOKEN', `${token.source} does not hold a token`);
  return { server, token: new Secret(token.text), authority };
}

function checkServer(server: URL): void {
  if (server.username !== '' || server.password !== '' || server.search !== '' || server.hash !== '') {
    throw new UsageError('--server is an address alone: the token comes from --token-file or FLEETSHIFT_TOKEN');
  }
  if (server.protocol === 'http:' && !isOnThisMachine(server)) {
    throw new UsageError(
      `${server.origin} is beyond this machine, where plain HTTP shows the token to everyone on the way; use https`,
    );
  }
}

function readToken({ values, origins }: ClientValues, environment: Environment): { text: string; source: string } {
  const { tokenFile, data, server } = values;
  const inEnvironment = environment['FLEETSHIFT_TOKEN'];
  if (tokenFile !== undefined) {
    if (inEnvironment && origins['token-file'].kind === 'environment') {
      throw new UsageError('FLEETSHIFT_TOKEN and FLEETSHIFT_TOKEN_FILE are both set; which of them counts?');
    }
    return { text: readTokenFile(tokenFile), source: tokenFile };
  }
  if (inEnvironment) return { text: inEnvironment, source: 'FLEETSHIFT_TOKEN' };
  // The token of this machine's platform is nobody else's business.
  if (!isOnThisMachine(server)) {
    throw new ClientError('NO_TOKEN', `no token for ${server.origin}; give one with --token-file or FLEETSHIFT_TOKEN`);
  }
  const file = join(data, 'admin-token');
  return { text: readTokenFile(file), source: file };
}

function readTokenFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    const why = isMissing ? 'there is no such file' : cause instanceof Error ? cause.message : String(cause);
    const act = 'say where the folder of the platform is with --data, or give a token with --token-file';
    throw new ClientError('NO_TOKEN', `read the token in ${file}: ${why}; ${act}`, { cause });
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
