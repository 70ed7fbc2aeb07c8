import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from '../../client/open-connection.ts';
import { sendRequest } from '../../client/send-request.ts';
import { UsageError } from '../../command.ts';

export interface KubectlServer {
  readonly server: URL;
  readonly authority: string | undefined;
}

export interface KubectlServerOptions extends Pick<Connection, 'server' | 'authority'> {
  /** What was said. */
  readonly said: URL | undefined;
  /** Of a platform on this machine. */
  readonly data: string;
}

/** Where a platform serves TLS unless told. */
const USUAL = 'https://localhost:8701';
const LOOK_MS = 5_000;

/**
 * Where kubectl finds the platform: by TLS alone, since it shows its credentials to nobody else. A platform that the CLI talks
 * to in the clear, on this machine, is looked for where it serves TLS, too.
 */
export async function kubectlServer(options: KubectlServerOptions, signal: AbortSignal): Promise<KubectlServer> {
  const { said, server, authority, data } = options;
  if (said !== undefined) return { server: said, authority: authority ?? ownAuthority(data, said) };
  if (server.protocol === 'https:') return { server, authority };
  const usual = new URL(USUAL);
  const own = authority ?? ownAuthority(data, usual);
  if (await isServing({ server: usual, authority: own }, signal)) return { server: usual, authority: own };
  throw new UsageError(
    `kubectl shows its credentials over TLS only, and ${server.origin} is plain HTTP; say where the platform serves TLS: --kubectl-server ${USUAL}`,
  );
}

/** Platforms that were given no certificate are their own authority. */
function ownAuthority(data: string, { hostname }: URL): string | undefined {
  const file = join(data, 'tls', 'ca.crt');
  return hostname === 'localhost' && existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

async function isServing({ server, authority }: KubectlServer, signal: AbortSignal): Promise<boolean> {
  const url = new URL('/healthz', server);
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
  try {
    const { status } = await sendRequest({ url, method: 'GET', headers: {}, body: undefined, authority }, bounded);
    return status === 200;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
