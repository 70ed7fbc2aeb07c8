import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Connection, urlsOf } from '../../../client/open-connection.ts';
import { sendRequest } from '../../../client/send-request.ts';
import { UsageError } from '../../../command.ts';

export interface KubectlServer {
  readonly server: URL;
  readonly authority: string | undefined;
}

export interface KubectlServerOptions extends Pick<Connection, 'server' | 'authority'> {
  /** The address from the flag. */
  readonly said: URL | undefined;
  /** The addresses of a platform on this machine. */
  readonly data: string;
}

/** The default TLS address of a platform. */
const USUAL = 'https://localhost:8701';
const LOOK_MS = 5_000;

/**
 * The address of the platform for kubectl, which must be TLS because kubectl sends credentials only over TLS. If the
 * CLI uses plain HTTP on this machine, the TLS address of the same platform is looked up.
 */
export async function kubectlServer(options: KubectlServerOptions, signal: AbortSignal): Promise<KubectlServer> {
  const { said, server, authority, data } = options;
  if (said !== undefined) return { server: said, authority: authority ?? ownAuthority(data, said) };
  if (server.protocol === 'https:') return { server, authority };
  // Of the platform of the data folder the addresses are known; another one may listen at its usual address.
  for (const candidate of secureAddresses(data, server) ?? [new URL(USUAL)]) {
    const found = { server: candidate, authority: authority ?? ownAuthority(data, candidate) };
    if (await isServing(found, signal)) return found;
  }
  throw new UsageError(
    `kubectl sends credentials over TLS only, and ${server.origin} is plain HTTP; name the TLS address of the platform: --kubectl-server ${USUAL}`,
  );
}

/** By name first, as certificates and `ownAuthority` want it. Undefined when that platform is not the one of the folder. */
function secureAddresses(data: string, { origin }: URL): readonly URL[] | undefined {
  const urls = urlsOf(data);
  if (!urls.some((url) => url.origin === origin)) return undefined;
  const secure = urls.filter(({ protocol }) => protocol === 'https:');
  return secure.toSorted((a, b) => Number(b.hostname === 'localhost') - Number(a.hostname === 'localhost'));
}

/** Platforms without a given certificate are their own authority. */
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
