import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { TransportError } from '#kit/transport';
import { addressOf, connectSocket, type DialGuard } from '#kit/transport/dial';
import type { Certificate } from '../config/credentials.ts';
import type { KubeConfig } from '../config/kube-config.ts';
import { KubeError } from '../kube-error.ts';

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
  const to = addressOf(server);
  const doing = `connect to ${server.host}${proxy ? ` through the proxy ${proxy.host}` : ''}`;
  const lookup = guard && (await checked(guard, { ...to, proxy, doing }, signal));
  const tls = server.protocol === 'https:' ? tlsOptions(options, to.host) : undefined;
  try {
    return await connectSocket({ to, tls, proxy, lookup, name: server.host }, signal);
  } catch (error) {
    throw error instanceof TransportError ? dialError(error) : error;
  }
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

function dialError({ code, message, details, cause }: TransportError): KubeError {
  if (code === 'PEER_NOT_TRUSTED') return new KubeError('CERTIFICATE_REFUSED', message, { cause });
  if (details['proxy'] === undefined) return new KubeError('CONNECTION_REFUSED', message, { cause });
  const { httpStatus } = details;
  return new KubeError('PROXY_REFUSED', message, {
    cause,
    ...(httpStatus === undefined ? {} : { details: { httpStatus } }),
  });
}
