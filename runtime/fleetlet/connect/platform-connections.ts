import type { Connect, ConnectionClass, LinkConnection } from '#contexts/channels';
import { CHANNEL_METHOD, CHANNEL_WEB_SOCKET, frameConnections } from '#contexts/channels/adapters';
import { hostPort, printHostPort } from '#kit/config';
import type { Clock, Random } from '#kit/std';
import type { Transport } from '#kit/transport';
import type { FleetletConfig } from '../config.ts';
import { FleetletError } from '../fleetlet-error.ts';
import { certificateWord } from '../identity/certificate-word.ts';
import type { Endpoints } from '../identity/identity-store.ts';
import { apiOf } from './platform-address.ts';
import { type WayThereDeps, wayThere } from './way-there.ts';

export interface PlatformConnectionsDeps extends WayThereDeps {
  readonly config: Pick<FleetletConfig, 'caFile' | 'proxy' | 'platform' | 'transport'>;
  readonly clock: Clock;
  readonly random?: Random;
}

const TLS_PORT = 443;
const PLAIN_PORT = 80;

/** Address to connect to: from the settings, or else from the platform. */
type Destination =
  | { readonly transport: 'grpc'; readonly host: string; readonly port: number }
  | { readonly transport: 'websocket'; readonly url: URL };

/**
 * Connections of both classes go to the same replica; each is a separate socket. A new control connection tries all known
 * replicas in random order, but the last one tried comes last: it may have refused after it had accepted the connection.
 */
export async function platformConnections(
  deps: PlatformConnectionsDeps,
): Promise<Readonly<Record<ConnectionClass, Connect>>> {
  destinations(deps);
  const known = new Map<string, Connect>();
  let current: Destination | undefined;
  const connectTo = async (to: Destination, signal: AbortSignal): Promise<LinkConnection> => {
    const connect = known.get(nameOf(to)) ?? (await connecting(deps, to));
    known.set(nameOf(to), connect);
    return await connect(signal);
  };
  const control: Connect = async (signal) => {
    const last = current;
    let failure: unknown;
    for (const to of inRandomOrder(destinations(deps), last, deps.random ?? Math.random)) {
      current = to;
      try {
        return await connectTo(to, signal);
      } catch (error) {
        signal.throwIfAborted();
        failure ??= error;
      }
    }
    throw failure;
  };
  return { control, bulk: (signal) => (current === undefined ? control(signal) : connectTo(current, signal)) };
}

async function connecting(deps: PlatformConnectionsDeps, to: Destination): Promise<Connect> {
  // A gRPC connection is authenticated by its client certificate; a WebSocket sends a token with each stream.
  return to.transport === 'grpc'
    ? frameConnections(await grpc(deps, to))
    : frameConnections(await webSocket(deps, to.url), () => authorization(deps));
}

function nameOf(to: Destination): string {
  return to.transport === 'grpc' ? printHostPort(to) : to.url.href;
}

function inRandomOrder(all: readonly Destination[], last: Destination | undefined, random: Random): Destination[] {
  const rank = (to: Destination): number => (last !== undefined && nameOf(to) === nameOf(last) ? 1 : random());
  return all
    .map((to) => ({ to, at: rank(to) }))
    .sort((a, b) => a.at - b.at)
    .map(({ to }) => to);
}

/** An address in the settings is the only one. */
function destinations({ config, store }: Pick<PlatformConnectionsDeps, 'config' | 'store'>): readonly Destination[] {
  const { platform } = config;
  if (platform?.kind === 'grpc') return [{ transport: 'grpc', host: platform.host, port: platform.port }];
  if (platform?.kind === 'websocket') return [{ transport: 'websocket', url: platform.url }];
  const { replicas = [], ...own } = store.identity?.platform.endpoints ?? {};
  const all = [own, ...replicas].flatMap((endpoints) => destinationAt(endpoints, config.transport) ?? []);
  const unique = new Map(all.map((to) => [nameOf(to), to]));
  if (unique.size > 0) return [...unique.values()];
  const wanted = config.transport === undefined ? 'fleetlets at all' : `fleetlets over ${config.transport}`;
  const at = platform === undefined ? 'the platform' : apiOf(platform).href;
  const message = `${at} does not announce an address for ${wanted}; set --platform host:port or wss://host:port`;
  throw new FleetletError('NO_WAY_THERE', message);
}

function destinationAt(
  { grpc: told = '', websocket = '' }: Endpoints,
  wanted: FleetletConfig['transport'],
): Destination | undefined {
  if (told !== '' && wanted !== 'websocket') return { transport: 'grpc', ...hostPort().parse(told) };
  if (websocket !== '' && wanted !== 'grpc') return { transport: 'websocket', url: new URL(websocket) };
  return undefined;
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
