import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { type HostPort, printHostPort } from '#kit/config';
import type { HttpServer, ListenAddress, Upgrade } from '#kit/http';
import { sleep, systemClock } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { DataFolder } from '#runtime/instance/data-folder';
import { fleetletAddress } from './channels/fleetlet-address.ts';
import type { FleetletListener } from './channels/open-channels.ts';
import type { Fleetlets } from './channels/open-fleetlets.ts';
import type { PlatformConfig } from './config.ts';
import { PlatformError } from './platform-error.ts';
import { certificateRenewal } from './tls/certificate-renewal.ts';
import type { CertificateSource, ServerCertificate } from './tls/certificate-source.ts';
import { givenCertificate } from './tls/given-certificate.ts';
import { type AuthorityPem, ownCertificate } from './tls/own-certificate.ts';

/** Plain HTTP. */
export async function listenHttp(server: HttpServer, address: HostPort): Promise<ListenAddress> {
  return await explained('--listen', address, () => server.listen(address));
}

export interface TlsListener extends ListenAddress {
  /** Serves this certificate on new connections from now on. */
  install(certificate: ServerCertificate): void;
}

export async function listenTls(
  server: HttpServer,
  address: HostPort,
  { certificate, upgrade }: { readonly certificate: ServerCertificate; readonly upgrade?: Upgrade },
): Promise<TlsListener> {
  const options = { ...address, tls: tlsOptions(certificate), ...(upgrade && { upgrade }) };
  const listener = await explained('--tls-listen', address, () => server.listen(options));
  const { host, port } = listener;
  return { host, port, install: (renewed) => listener.setCertificate(tlsOptions(renewed)) };
}

export interface SecureDoors {
  readonly server: HttpServer;
  readonly fleetlets: Pick<Fleetlets, 'listen' | 'upgrade'>;
}

interface SecureParts {
  readonly config: PlatformConfig;
  readonly folder: Pick<DataFolder, 'tlsFolder'>;
  /** What all replicas share; see `sharedAuthority`. */
  readonly authority: AuthorityPem | undefined;
  readonly log: Logger;
}

/**
 * TLS for the API and for fleetlets, with one certificate, which is renewed for both. `undefined` if neither is served.
 */
export async function listenSecurely(
  { server, fleetlets }: SecureDoors,
  { config, folder, authority, log }: SecureParts,
) {
  const places = { people: config.tlsListen, machines: fleetletAddress(config) };
  const wanted = Object.values(places).filter((place) => place !== undefined);
  if (wanted.length === 0) return undefined;
  const source = certificateSource(config, wanted, { folder, authority });
  const serving = source.current(systemClock.now());
  const { upgrade } = fleetlets;
  const people = places.people && (await listenTls(server, places.people, { certificate: serving, upgrade }));
  const machines = places.machines && (await listenFleetlets(fleetlets, places.machines, serving));
  const install = (renewed: ServerCertificate): void => {
    people?.install(renewed);
    machines?.install(renewed);
  };
  const { authorityFile } = source;
  return {
    listening: { https: people && placeOf(people), fleetlets: machines && placeOf(machines), authorityFile },
    renewal: certificateRenewal({ source, serving, install, clock: systemClock, sleep, log }),
  };
}

/** gRPC with client certificates. */
async function listenFleetlets(
  fleetlets: SecureDoors['fleetlets'],
  address: HostPort,
  certificate: ServerCertificate,
): Promise<FleetletListener> {
  return await explained('--fleetlet-listen', address, () => fleetlets.listen(address, certificate));
}

function placeOf({ host, port }: HostPort): HostPort {
  return { host, port };
}

function certificateSource(
  { tlsCert, tlsKey, tlsName, advertise }: PlatformConfig,
  listening: readonly HostPort[],
  { folder: { tlsFolder }, authority }: Pick<SecureParts, 'folder' | 'authority'>,
): CertificateSource {
  if (tlsCert !== undefined && tlsKey !== undefined) {
    return givenCertificate({ certificateFile: resolve(tlsCert), keyFile: resolve(tlsKey) });
  }
  const hosts = listening.map(({ host }) => host).filter((host) => host !== '0.0.0.0' && host !== '::');
  const own = ['localhost', '127.0.0.1', '::1', hostname(), ...hosts];
  const names = [...own, ...tlsName, ...(advertise === undefined ? [] : [advertise])];
  return ownCertificate({ folder: tlsFolder, names: [...new Set(names)], authority });
}

function tlsOptions({ chain, key }: ServerCertificate): SecureContextOptions {
  return { cert: chain, key: key.reveal(), minVersion: 'TLSv1.2' };
}

const REASONS: Readonly<Record<string, string>> = {
  // Names all three flags: a second platform on one machine would otherwise conflict on its ports one by one.
  EADDRINUSE:
    'another program already listens there; stop it, or choose other ports with --listen, --tls-listen and --fleetlet-listen (port 0 takes a free one)',
  EACCES: 'this account may not listen there; choose a port above 1023',
  EADDRNOTAVAIL: 'this machine has no such address; choose another',
  ENOTFOUND: 'no such host is known; choose an address of this machine',
};

async function explained<T>(flag: string, address: HostPort, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (cause) {
    const code = codeOf(cause) ?? '';
    const why = REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause));
    throw new PlatformError('ADDRESS_UNUSABLE', `${flag} ${printHostPort(address)}: ${why}`, { cause });
  }
}

/** The system's error code, which may be in the cause of a transport error. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && String(error.code) in REASONS) return String(error.code);
  return codeOf(error.cause);
}
