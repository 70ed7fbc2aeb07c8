import { isIP, type Socket, connect as tcpConnect } from 'node:net';
import { type ConnectionOptions, getCACertificates, type TLSSocket, connect as tlsConnect } from 'node:tls';
import type { Secret } from '#kit/std';
import { TransportError } from '../transport-error.ts';
import { openTunnel } from './open-tunnel.ts';

export interface DialOptions {
  readonly to: Endpoint;
  /** Without it the connection is plain: whether that is good enough is for the caller to know. */
  readonly tls?: DialTls;
  /** `http:` or `https:`, with user and password when it wants them. */
  readonly proxy?: URL | undefined;
  /** For all of it: the proxy, TCP, TLS and the first words of the other end. 10 s unless told. */
  readonly connectWithinMs?: number;
}

export type Endpoint = { readonly host: string; readonly port: number } | { readonly path: string };

export interface DialTls {
  /** The name to ask for and to expect in the certificate, when it is not the host's. */
  readonly serverName?: string;
  /** Asked at every connect, so that what was renewed is used from then on. */
  readonly credentials?: () => DialCredentials | Promise<DialCredentials>;
}

export interface DialCredentials {
  /** PEM. Whom to trust: these and nobody else, or these besides those that Node brings, who are trusted when nothing is said. */
  readonly trust?: { readonly only: readonly string[] } | { readonly besides: readonly string[] };
  /** PEM. Who we are. */
  readonly certificate?: { readonly cert: string; readonly key: Secret };
}

export const CONNECT_WITHIN_MS = 10_000;

/** What `connect` makes of the options, or one sentence that says why not within the time. */
export async function withinTime<T>(
  { to, connectWithinMs = CONNECT_WITHIN_MS }: DialOptions,
  connect: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const late = AbortSignal.timeout(connectWithinMs);
  try {
    return await connect(AbortSignal.any([signal, late]));
  } catch (error) {
    signal.throwIfAborted();
    if (!late.aborted) throw error;
    const message = `connect to ${endpointName(to)}: there was no answer within ${connectWithinMs} ms`;
    throw new TransportError('UNREACHABLE', message, { cause: error });
  }
}

/** A connection to the other end, through the proxy when there is one; TLS is up and its certificate is trusted. */
export async function dial(options: DialOptions, protocol: string, signal: AbortSignal): Promise<Socket | TLSSocket> {
  const { to, tls, proxy } = options;
  const doing = `connect to ${endpointName(to)}${proxy ? ` through the proxy ${proxy.host}` : ''}`;
  const secure = tls && (await tlsOptions(tls, to, protocol));
  signal.throwIfAborted();
  const tunnel = proxy && 'host' in to ? await openTunnel({ proxy, ...to }, signal) : undefined;
  if (!secure) return tunnel ?? (await ready(tcpConnect(to), 'connect', { doing, signal }));
  const socket = tlsConnect({ ...secure, ...(tunnel ? { socket: tunnel } : to) });
  return await ready(socket, 'secureConnect', { doing, signal });
}

export function endpointName(to: Endpoint): string {
  if ('path' in to) return `unix:${to.path}`;
  return `${isIP(to.host) === 6 ? `[${to.host}]` : to.host}:${to.port}`;
}

async function tlsOptions(tls: DialTls, to: Endpoint, protocol: string): Promise<ConnectionOptions> {
  const { trust, certificate } = (await tls.credentials?.()) ?? {};
  const name = tls.serverName ?? ('host' in to ? to.host : 'localhost');
  return {
    ALPNProtocols: [protocol],
    // An IP address cannot be asked for by name, but is still compared with the certificate.
    ...(isIP(name) ? { host: name } : { servername: name }),
    ...(trust && { ca: 'only' in trust ? [...trust.only] : [...getCACertificates('default'), ...trust.besides] }),
    ...(certificate && { cert: certificate.cert, key: certificate.key.reveal() }),
    // Said aloud, or an environment variable of Node could switch it off.
    rejectUnauthorized: true,
  };
}

interface Attempt {
  readonly doing: string;
  readonly signal: AbortSignal;
}

async function ready<S extends Socket>(socket: S, event: string, { doing, signal }: Attempt): Promise<S> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  socket.once(event, resolve).once('error', reject).once('close', reject);
  try {
    await promise;
    // Whoever gets it listens a moment later.
    socket.on('error', () => {});
    // Firewalls forget connections that say nothing for long.
    return socket.setNoDelay(true).setKeepAlive(true, 30_000);
  } catch (error) {
    socket.once('error', () => {}).destroy();
    signal.throwIfAborted();
    throw dialError(error, socket, doing);
  } finally {
    signal.removeEventListener('abort', onAbort);
    socket.off(event, resolve).off('error', reject).off('close', reject);
  }
}

function dialError(error: unknown, socket: Socket, doing: string): TransportError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const mistrusted = 'authorizationError' in socket && socket.authorizationError != null;
  const why = error instanceof Error ? error.message : 'the connection was closed';
  if (mistrusted || code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return new TransportError('PEER_NOT_TRUSTED', `${doing}: its certificate is not trusted: ${why}`, { cause: error });
  }
  return new TransportError('UNREACHABLE', `${doing}: ${why}`, { cause: error });
}
