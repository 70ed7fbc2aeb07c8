import { isIP, type LookupFunction, type Socket, connect as tcpConnect } from 'node:net';
import { type ConnectionOptions, getCACertificates, type TLSSocket, connect as tlsConnect } from 'node:tls';
import type { Secret } from '#kit/std';
import { TransportError } from '../transport-error.ts';
import { openTunnel } from './open-tunnel.ts';

export interface DialOptions {
  readonly to: Endpoint;
  /** Without it the connection is plaintext; the caller decides whether that is acceptable. */
  readonly tls?: DialTls;
  /** `http:` or `https:`, with user and password if needed. */
  readonly proxy?: URL | undefined;
  /** For the whole connect: proxy, TCP, TLS and the first bytes of the other end. Default 10 s. */
  readonly connectWithinMs?: number;
}

export type Endpoint = { readonly host: string; readonly port: number } | { readonly path: string };

export interface DialTls {
  /** The name to request and to expect in the certificate, if it is not the host. */
  readonly serverName?: string;
  /** Called at every connect, so that renewed credentials take effect. */
  readonly credentials?: () => DialCredentials | Promise<DialCredentials>;
}

export interface DialCredentials {
  /** PEM. Trusted authorities: only these, or these besides Node's. Default: Node's. */
  readonly trust?: { readonly only: readonly string[] } | { readonly besides: readonly string[] };
  /** PEM. The client certificate. */
  readonly certificate?: { readonly cert: string; readonly key: Secret };
}

export const CONNECT_WITHIN_MS = 10_000;

/** Runs `connect` with the timeout of the options; a timeout throws an error that says so. */
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

/**
 * A connection to the other end, through the proxy if there is one. With TLS the handshake is complete and the certificate
 * verified.
 */
export async function dial(options: DialOptions, protocol: string, signal: AbortSignal): Promise<Socket | TLSSocket> {
  const { to, tls, proxy } = options;
  const secure = tls && (await tlsOptions(tls, to, protocol));
  return await connectSocket({ to, proxy, tls: secure, name: endpointName(to) }, signal);
}

export interface ConnectOptions {
  readonly to: Endpoint;
  /** Of `node:tls`. Without it the connection is plaintext. */
  readonly tls?: ConnectionOptions | undefined;
  readonly proxy?: URL | undefined;
  /** Resolves the name of the proxy, or of the other end if there is no proxy. */
  readonly lookup?: LookupFunction | undefined;
  /** The name of the other end in messages. */
  readonly name: string;
}

/**
 * Connects a socket, through the proxy if there is one. Throws `PEER_NOT_TRUSTED` or `UNREACHABLE`; `details.proxy` is the
 * proxy that did not make the connection.
 */
export async function connectSocket(options: ConnectOptions, signal: AbortSignal): Promise<Socket | TLSSocket> {
  const { to, tls, proxy, lookup, name } = options;
  const doing = `connect to ${name}${proxy ? ` through the proxy ${proxy.host}` : ''}`;
  signal.throwIfAborted();
  const tunnel = proxy && 'host' in to ? await openTunnel({ proxy, ...to, lookup }, signal) : undefined;
  const at = { ...to, ...(lookup && { lookup }) };
  if (!tls) return tunnel ?? (await ready(tcpConnect(at), 'connect', { doing, signal }));
  const socket = tlsConnect({ ...tls, ...(tunnel ? { socket: tunnel } : at) });
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
    // An IP address cannot be requested by name, but is still compared with the certificate.
    ...(isIP(name) ? { host: name } : { servername: name }),
    ...(trust && { ca: 'only' in trust ? [...trust.only] : [...getCACertificates('default'), ...trust.besides] }),
    ...(certificate && { cert: certificate.cert, key: certificate.key.reveal() }),
    // Explicit, because an environment variable of Node could disable it.
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
  if (signal.aborted) onAbort();
  socket.once(event, resolve).once('error', reject).once('close', reject);
  try {
    await promise;
    // The caller adds its own listener a moment later.
    socket.on('error', () => {});
    // Firewalls drop connections that are idle for long.
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
