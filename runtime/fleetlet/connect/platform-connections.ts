import type { Connect } from '#contexts/channels';
import { CHANNEL_METHOD, CHANNEL_WEB_SOCKET, frameConnections } from '#contexts/channels/adapters';
import type { Clock, Random } from '#kit/std';
import type { Transport } from '#kit/transport';
import type { FleetletConfig } from '../config.ts';
import { certificateWord } from '../identity/certificate-word.ts';
import { type Destination, destinations, nameOf } from './destinations.ts';
import { ReplicaConnections } from './replica-connections.ts';
import { type WayThereDeps, wayThere } from './way-there.ts';

export interface PlatformConnectionsDeps extends WayThereDeps {
  readonly config: Pick<FleetletConfig, 'caFile' | 'proxy' | 'platform' | 'transport'>;
  readonly clock: Clock;
  readonly random?: Random;
}

const TLS_PORT = 443;
const PLAIN_PORT = 80;

/** Fails if no address is known. */
export async function platformConnections(deps: PlatformConnectionsDeps): Promise<ReplicaConnections> {
  const known = new Map<string, Connect>();
  const all = (): readonly Destination[] => destinations(deps.config, deps.store.identity?.platform.endpoints ?? {});
  all();
  return new ReplicaConnections({
    destinations: all,
    dial: async (to, signal) => {
      const connect = known.get(nameOf(to)) ?? (await connecting(deps, to));
      known.set(nameOf(to), connect);
      return await connect(signal);
    },
    random: deps.random ?? Math.random,
  });
}

async function connecting(deps: PlatformConnectionsDeps, to: Destination): Promise<Connect> {
  // A gRPC connection is authenticated by its client certificate; a WebSocket sends a token with each stream.
  return to.transport === 'grpc'
    ? frameConnections(await grpc(deps, to))
    : frameConnections(await webSocket(deps, to.url), () => authorization(deps));
}

async function grpc(deps: PlatformConnectionsDeps, to: { host: string; port: number }): Promise<Transport> {
  const { createGrpcTransport } = await import('#kit/transport/grpc');
  return createGrpcTransport({ ...wayThere(deps, to, { isPlain: false }), path: CHANNEL_METHOD });
}

async function webSocket(deps: PlatformConnectionsDeps, url: URL): Promise<Transport> {
  const { createWebSocketTransport } = await import('#kit/transport/websocket');
  const isPlain = url.protocol === 'ws:';
  const to = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (isPlain ? PLAIN_PORT : TLS_PORT)),
  };
  const path = url.pathname === '/' ? CHANNEL_WEB_SOCKET.path : url.pathname;
  return createWebSocketTransport({ ...wayThere(deps, to, { isPlain }), path, protocol: CHANNEL_WEB_SOCKET.protocol });
}

function authorization({ store, clock }: PlatformConnectionsDeps): Record<string, string> {
  const word = certificateWord(store, CHANNEL_WEB_SOCKET.path, clock.now());
  return word === undefined ? {} : { authorization: `Bearer ${word}` };
}
