import { readFileSync } from 'node:fs';
import { isLoopback } from '#runtime/process/loopback';
import { UsageError } from '../command.ts';

/** A platform, before login. */
export interface PlatformAddress {
  readonly server: URL;
  /** In PEM, in addition to the authorities that this machine trusts. */
  readonly authority: string | undefined;
}

/** Refuses to send credentials unencrypted over the network. */
export function platformAddress(server: URL, authority: string | undefined): PlatformAddress {
  if (server.username !== '' || server.password !== '' || server.search !== '' || server.hash !== '') {
    throw new UsageError('--server must be an address without credentials, query or fragment');
  }
  if (server.protocol === 'http:' && !isLoopback(server.hostname.replace(/^\[|\]$/g, ''))) {
    throw new UsageError(
      `${server.origin} is not on this machine, and plain HTTP would expose the login on the network; use https`,
    );
  }
  return { server, authority };
}

export function readAuthority(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`--ca-file ${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new UsageError(`--ca-file ${file}: no certificate in PEM`);
  return text;
}
