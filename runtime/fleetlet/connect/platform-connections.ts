import type { Connect, ConnectionClass } from '#contexts/channels';
import { CHANNEL_METHOD, CHANNEL_WEB_SOCKET, frameConnections } from '#contexts/channels/adapters';
import { hostPort } from '#kit/config';
import type { Clock } from '#kit/std';
import type { Transport } from '#kit/transport';
import type { FleetletConfig } from '../config.ts';
import { FleetletError } from '../fleetlet-error.ts';
import { certificateWord } from '../identity/certificate-word.ts';
import { apiOf } from './platform-address.ts';
import { type WayThereDeps, wayThere } from './way-there.ts';

export interface PlatformConnectionsDeps extends WayThereDeps {
  readonly config: Pick<FleetletConfig, 'caFile' | 'proxy' | 'platform' | 'transport'>;
  readonly clock: Clock;
}

const TLS_PORT = 443;
const PLAIN_PORT = 80;

/** Address to connect to: from the settings, or else from the platform's answer at enrolment. */
type Destination =
  | { readonly transport: 'grpc'; readonly host: string; readonly port: number }
  | { readonly transport: 'websocket'; readonly url: URL };

/** Connections of both classes use the same route; each is a separate socket. */
export async function platformConnections(
  deps: PlatformConnectionsDeps,
): Promise<Readonly<Record<ConnectionClass, Connect>>> {
  const to = destination(deps);
  const transport = to.transport === 'grpc' ? await grpc(deps, to) : await webSocket(deps, to.url);
  // A gRPC connection is authenticated by its client certificate; a WebSocket sends a token with each stream.
  const connect =
    to.transport === 'grpc' ? frameConnections(transport) : frameConnections(transport, () => authorization(deps));
  return { control: connect, bulk: connect };
}

function destination({ config, store }: Pick<PlatformConnectionsDeps, 'config' | 'store'>): Destination {
  const { platform } = config;
  if (platform?.kind === 'grpc') return { transport: 'grpc', host: platform.host, port: platform.port };
  if (platform?.kind === 'websocket') return { transport: 'websocket', url: platform.url };
  const { grpc: told, websocket } = store.identity?.platform.endpoints ?? {};
  if (told !== undefined && config.transport !== 'websocket') return { transport: 'grpc', ...hostPort().parse(told) };
  if (websocket !== undefined && config.transport !== 'grpc')
    return { transport: 'websocket', url: new URL(websocket) };
  const wanted = config.transport === undefined ? 'fleetlets at all' : `fleetlets over ${config.transport}`;
  const at = platform === undefined ? 'the platform' : apiOf(platform).href;
  const message = `${at} does not announce an address for ${wanted}; set --platform host:port or wss://host:port`;
  throw new FleetletError('NO_WAY_THERE', message);
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
