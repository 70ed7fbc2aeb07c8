import { printHostPort } from '#kit/config';
import type { Random } from '#kit/std';
import type { FleetletConfig } from '../config.ts';
import { FleetletError } from '../fleetlet-error.ts';
import { type Endpoints, grpcEndpoint, type PlatformEndpoints, webSocketEndpoint } from '../identity/endpoints.ts';
import { apiOf } from './platform-address.ts';

/** Address to connect to: from the settings, or else from the platform. */
export type Destination =
  | { readonly transport: 'grpc'; readonly host: string; readonly port: number }
  | { readonly transport: 'websocket'; readonly url: URL };

export function nameOf(to: Destination): string {
  return to.transport === 'grpc' ? printHostPort(to) : to.url.href;
}

/** All known replicas. An address in the settings is the only one. */
export function destinations(
  { platform, transport }: Pick<FleetletConfig, 'platform' | 'transport'>,
  known: PlatformEndpoints,
): readonly Destination[] {
  if (platform?.kind === 'grpc') return [{ transport: 'grpc', host: platform.host, port: platform.port }];
  if (platform?.kind === 'websocket') return [{ transport: 'websocket', url: platform.url }];
  const { replicas = [], ...own } = known;
  const all = [own, ...replicas].flatMap((endpoints) => destinationAt(endpoints, transport) ?? []);
  const unique = new Map(all.map((to) => [nameOf(to), to]));
  if (unique.size > 0) return [...unique.values()];
  const wanted = transport === undefined ? 'fleetlets at all' : `fleetlets over ${transport}`;
  const at = platform === undefined ? 'the platform' : apiOf(platform).href;
  const message = `${at} does not announce an address for ${wanted}; set --platform host:port or wss://host:port`;
  throw new FleetletError('NO_WAY_THERE', message);
}

function destinationAt(
  { grpc = '', websocket = '' }: Endpoints,
  wanted: FleetletConfig['transport'],
): Destination | undefined {
  const at = wanted === 'websocket' ? undefined : grpcEndpoint(grpc);
  if (at !== undefined) return { transport: 'grpc', ...at };
  const url = wanted === 'grpc' ? undefined : webSocketEndpoint(websocket);
  return url && { transport: 'websocket', url };
}

/** Also the APIs of the replicas, which are where their WebSockets are. */
export function apisOf(configured: URL, known: PlatformEndpoints): readonly URL[] {
  const { replicas = [], ...own } = known;
  const listed = [own, ...replicas].flatMap(({ websocket = '' }) => webSocketEndpoint(websocket) ?? []);
  const all = [configured, ...listed.map(({ host }) => new URL(`https://${host}`))];
  return [...new Map(all.map((url) => [url.origin, url])).values()];
}

export interface Tried {
  /** Has accepted control, and was not tried since. */
  readonly accepted: Destination | undefined;
  readonly last: Destination | undefined;
}

/**
 * The replica that had accepted this fleetlet comes first: a connection that was cut says nothing about it. Where the attempt
 * does not end in an acceptance, it comes last: it may have connected and then refused, as a replica on standby does. The
 * others are in random order.
 */
export function inOrder(all: readonly Destination[], { accepted, last }: Tried, random: Random): Destination[] {
  const rank = (to: Destination): number => {
    if (accepted !== undefined && nameOf(to) === nameOf(accepted)) return -1;
    return last !== undefined && nameOf(to) === nameOf(last) ? 1 : random();
  };
  return all
    .map((to) => ({ to, at: rank(to) }))
    .sort((a, b) => a.at - b.at)
    .map(({ to }) => to);
}
