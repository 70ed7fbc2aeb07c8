import type { SecureContextOptions } from 'node:tls';
import { type HostPort, printHostPort } from '#kit/config';
import type { HttpServer, ListenAddress } from '#kit/http';
import { PlatformError } from './platform-error.ts';
import type { ServerCertificate } from './tls/certificate-source.ts';

/** Plain HTTP. */
export async function listenHttp(server: HttpServer, address: HostPort): Promise<ListenAddress> {
  return await explained('--listen', address, () => server.listen(address));
}

export interface TlsListener extends ListenAddress {
  /** Serves another certificate to connections from now on. */
  install(certificate: ServerCertificate): void;
}

export async function listenTls(
  server: HttpServer,
  address: HostPort,
  certificate: ServerCertificate,
): Promise<TlsListener> {
  const tls = tlsOptions(certificate);
  const listener = await explained('--tls-listen', address, () => server.listen({ ...address, tls }));
  const { host, port } = listener;
  return { host, port, install: (renewed) => listener.setCertificate(tlsOptions(renewed)) };
}

function tlsOptions({ chain, key }: ServerCertificate): SecureContextOptions {
  return { cert: chain, key: key.reveal(), minVersion: 'TLSv1.2' };
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there already; stop it or choose another address',
  EACCES: 'this account may not listen there; choose a port above 1023',
  EADDRNOTAVAIL: 'this machine has no such address; choose another',
  ENOTFOUND: 'no such host is known; choose an address of this machine',
};

async function explained<T>(flag: string, address: HostPort, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const why = REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause));
    throw new PlatformError('ADDRESS_UNUSABLE', `${flag} ${printHostPort(address)}: ${why}`, { cause });
  }
}
