import { hostname } from 'node:os';
import { CHANNEL_WEB_SOCKET } from '#contexts/channels/adapters';
import type { FleetletEndpoints, ReplicaEndpoints } from '#contexts/enrolment/adapters';
import type { HostPort } from '#kit/config';

export interface Reached extends Addresses {
  /** The Host header of the request: the name under which the client reached the platform. */
  readonly host: string | undefined;
  /** The endpoints of the other live replicas. */
  readonly others?: readonly ReplicaEndpoints[];
}

export interface Addresses {
  /** The public URLs set by the operator. */
  readonly publicUrl: readonly URL[];
  /** The one name of all replicas, set by the operator. */
  readonly advertise?: string | undefined;
  readonly https?: HostPort | undefined;
  readonly fleetlets?: HostPort | undefined;
}

/**
 * The endpoints for a fleetlet: of this replica under the name that the fleetlet used to enrol, since the listen address may
 * mean nothing on its network, and of the others as they announce themselves. With one name for all, that alone.
 */
export function endpointsFor({ host, others = [], ...addresses }: Reached): FleetletEndpoints {
  const { advertise } = addresses;
  const own = endpointsAt(advertise ?? hostnameOf(host), addresses);
  return advertise !== undefined || others.length === 0 ? own : { ...own, replicas: others };
}

/** How this replica announces itself: a wildcard address is no address to others, so it says its name. */
export function announcedEndpoints(addresses: Addresses, names: readonly string[]): ReplicaEndpoints {
  const { advertise, https, fleetlets } = addresses;
  const [name = hostname()] = names;
  const isWildcard = (at: HostPort | undefined): boolean => at?.host === '0.0.0.0' || at?.host === '::';
  return endpointsAt(advertise ?? (isWildcard(https ?? fleetlets) ? name : undefined), addresses);
}

function endpointsAt(name: string | undefined, { publicUrl, https, fleetlets }: Addresses): ReplicaEndpoints {
  const secure = publicUrl.find(({ protocol }) => protocol === 'https:');
  const at = name === undefined ? undefined : bracketed(name);
  const web = secure?.host ?? (https && `${at ?? bracketed(https.host)}:${https.port}`);
  return {
    ...(fleetlets === undefined ? {} : { grpc: `${at ?? bracketed(fleetlets.host)}:${fleetlets.port}` }),
    ...(web === undefined ? {} : { websocket: `wss://${web}${CHANNEL_WEB_SOCKET.path}` }),
  };
}

/** Without the port. `undefined` for an invalid host. */
function hostnameOf(host: string | undefined): string | undefined {
  const url = host === undefined ? null : URL.parse(`http://${host}/`);
  return url === null || url.hostname === '' || url.username !== '' ? undefined : url.hostname;
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
