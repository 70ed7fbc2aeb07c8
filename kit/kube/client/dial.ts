import { isIP, type LookupFunction, type Socket, connect as tcpConnect } from 'node:net';
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { TransportError } from '#kit/transport';
import type { DialGuard } from '#kit/transport/dial';
import type { Certificate } from '../config/credentials.ts';
import type { KubeConfig } from '../config/kube-config.ts';
import { KubeError } from '../kube-error.ts';
import { addressOf, openTunnel } from './open-tunnel.ts';

export type Protocols = readonly ('h2' | 'http/1.1')[];

export interface DialOptions {
  readonly server: URL;
  /** PEM of the trusted authorities; Node's root certificates by default. */
  readonly ca?: string | undefined;
  readonly certificate?: Certificate | undefined;
  /** The name for SNI and for the certificate check, if it differs from the host. */
  readonly serverName?: string | undefined;
  readonly insecureSkipVerify?: boolean | undefined;
  readonly proxy?: URL | undefined;
  /** Which addresses may be dialled; all by default. */
  readonly guard?: DialGuard | undefined;
  /** ALPN protocols in order of preference; for TLS only. */
  readonly protocols: Protocols;
}

/** Connects to the server, through the proxy if there is one; TLS is established and the certificate is verified. */
export async function dial(options: DialOptions, signal: AbortSignal): Promise<Socket | TLSSocket> {
  const { server, proxy, guard } = options;
  const { host, port } = addressOf(server);
  const doing = `connect to ${server.host}${proxy ? ` through the proxy ${proxy.host}` : ''}`;
  const lookup = guard && (await checked(guard, { host, port, proxy, doing }, signal));
  const tunnel = proxy && (await openTunnel({ proxy, host, port, lookup }, signal));
  const to = { host, port, ...(lookup && { lookup }) };
  if (server.protocol !== 'https:') return tunnel ?? ready(tcpConnect(to), 'connect', { doing, signal });
  const socket = tlsConnect({ ...tlsOptions(options, host), ...(tunnel ? { socket: tunnel } : to) });
  return ready(socket, 'secureConnect', { doing, signal });
}

/** Throws `ADDRESS_REFUSED` if the guard does not allow this config to be dialled. */
export async function checkAddress(
  { server, proxyUrl }: Pick<KubeConfig, 'server' | 'proxyUrl'>,
  guard: DialGuard,
  signal: AbortSignal,
): Promise<void> {
  const url = new URL(server);
  const proxy = proxyUrl === undefined ? undefined : new URL(proxyUrl);
  await checked(guard, { ...addressOf(url), proxy, doing: `connect to ${url.host}` }, signal);
}

interface Wanted {
  readonly host: string;
  readonly port: number;
  readonly proxy: URL | undefined;
  readonly doing: string;
}

/** Checks the server, or the proxy if there is one: the proxy then resolves the name of the server. */
async function checked(
  guard: DialGuard,
  { host, port, proxy, doing }: Wanted,
  signal: AbortSignal,
): Promise<LookupFunction> {
  try {
    if (proxy === undefined) return await guard.lookupFor({ host, port }, signal);
    guard.checkLiteral({ host, port });
    return await guard.lookupFor(addressOf(proxy), signal);
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    const code = error.code === 'ADDRESS_REFUSED' ? 'ADDRESS_REFUSED' : 'CONNECTION_REFUSED';
    throw new KubeError(code, `${doing}: ${error.message}`, { cause: error });
  }
}

function tlsOptions(options: DialOptions, host: string): ConnectionOptions {
  const { ca, certificate, serverName, insecureSkipVerify, protocols } = options;
  const name = serverName ?? host;
  return {
    host,
    ALPNProtocols: [...protocols],
    // SNI does not allow IP addresses, but the address is still compared with the certificate.
    ...(isIP(name) ? {} : { servername: name }),
    ...(ca !== undefined && { ca }),
    ...(certificate && { cert: certificate.cert, key: certificate.key.reveal() }),
    // Set explicitly, or an environment variable of Node could switch it off.
    rejectUnauthorized: insecureSkipVerify !== true,
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
    // A watch may be silent for long, and firewalls drop idle connections.
    socket.setNoDelay(true).setKeepAlive(true, 30_000);
    return socket;
  } catch (error) {
    socket.once('error', () => {}).destroy();
    signal.throwIfAborted();
    throw dialError(error, socket, doing);
  } finally {
    signal.removeEventListener('abort', onAbort);
    socket.off(event, resolve).off('error', reject).off('close', reject);
  }
}

function dialError(error: unknown, socket: Socket, doing: string): KubeError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const mistrusted = 'authorizationError' in socket && socket.authorizationError != null;
  const why = error instanceof Error ? error.message : 'the connection was closed';
  if (mistrusted || code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return new KubeError('CERTIFICATE_REFUSED', `${doing}: its certificate is not trusted: ${why}`, { cause: error });
  }
  return new KubeError('CONNECTION_REFUSED', `${doing}: ${why}`, { cause: error });
}
