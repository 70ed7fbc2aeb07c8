import { readFileSync } from 'node:fs';
import { isLoopback } from '../../platform/loopback.ts';
import { UsageError } from '../command.ts';

/** A platform, before anybody is known there. */
export interface PlatformAddress {
  readonly server: URL;
  /** In PEM, beside those that this machine trusts anyway. */
  readonly authority: string | undefined;
}

/** Refuses to send credentials where everybody on the way could read them. */
export function platformAddress(server: URL, authority: string | undefined): PlatformAddress {
  if (server.username !== '' || server.password !== '' || server.search !== '' || server.hash !== '') {
    throw new UsageError('--server is an address alone');
  }
  if (server.protocol === 'http:' && !isLoopback(server.hostname.replace(/^\[|\]$/g, ''))) {
    throw new UsageError(
      `${server.origin} is beyond this machine, where plain HTTP shows the login to everyone on the way; use https`,
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
