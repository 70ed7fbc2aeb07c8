import type { AcceptLink, DataPorts, DirectAddress, LinkConnection } from '#contexts/channels';
import {
  CHANNEL_METHOD,
  fleetletOfCertificate,
  frameAcceptor,
  frameConnections,
  readDataTicket,
} from '#contexts/channels/adapters';
import { type HostPort, hostPort, printHostPort } from '#kit/config';
import { Secret } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { FleetletConfig } from '../config.ts';
import { FleetletError } from '../fleetlet-error.ts';
import type { IdentityStore } from '../identity/identity-store.ts';

export interface DirectWaysDeps {
  readonly config: Pick<FleetletConfig, 'listenDirect' | 'directAddress'>;
  readonly store: IdentityStore;
  readonly log: Logger;
}

export interface DirectListener {
  readonly address: HostPort;
  stopListening(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Direct connections between fleetlets. Both sides authenticate with their certificates, and trust the authorities
 * named by the platform.
 */
export class DirectWays {
  readonly #deps: DirectWaysDeps;
  #addresses: readonly string[] = [];
  #install = (): void => {};
  /** PEM, as last received from the platform. */
  authorities = '';

  constructor(deps: DirectWaysDeps) {
    this.#deps = deps;
  }

  get ports(): DataPorts {
    const { log } = this.#deps;
    return {
      credentials: { readTicket: readDataTicket, fleetletOf: fleetletOfCertificate },
      addresses: () => this.#addresses,
      dial: (to, signal) => this.#dial(to, signal),
      random: Math.random,
      onWay: (channel, way, reason) => {
        if (way === undefined) log.debug({ subject: channel, reason }, 'data channel has no route; retrying');
        else log.debug({ subject: channel, name: way }, 'data channel has a route');
      },
    };
  }

  /** `undefined` if direct connections are not configured. */
  async listen(accept: AcceptLink | undefined): Promise<DirectListener | undefined> {
    const { config, log } = this.#deps;
    const { listenDirect: at, directAddress } = config;
    if (at === undefined || accept === undefined) return undefined;
    const { listenGrpc } = await import('#kit/transport/grpc');
    const server = await listenGrpc({ at, tls: this.#own(), path: CHANNEL_METHOD, accept: frameAcceptor(accept) });
    const address = 'port' in server.address ? server.address : at;
    this.#addresses = (directAddress.length > 0 ? directAddress : [address]).map((each) => printHostPort(each));
    this.#install = () => server.setCertificate(this.#own());
    log.info({ address: printHostPort(address) }, 'listening for other fleetlets');
    return { address, stopListening: () => server.stopListening(), close: () => server.close() };
  }

  /** Our certificate was renewed. */
  renewed(): void {
    this.#install();
  }

  async #dial({ address, serverName }: DirectAddress, signal: AbortSignal): Promise<LinkConnection> {
    const { createGrpcTransport } = await import('#kit/transport/grpc');
    const { cert, key } = this.#own();
    const credentials = () => ({ trust: { only: [this.authorities] }, certificate: { cert, key } });
    const to = hostPort().parse(address);
    const transport = createGrpcTransport({ to, tls: { serverName, credentials }, path: CHANNEL_METHOD });
    return await frameConnections(transport)(signal);
  }

  #own(): { readonly cert: string; readonly key: Secret } {
    const { identity, keyPem } = this.#deps.store;
    if (identity === undefined) throw new FleetletError('NOT_ENROLLED', 'this fleetlet has no certificate');
    return { cert: identity.pem, key: new Secret(keyPem) };
  }
}
