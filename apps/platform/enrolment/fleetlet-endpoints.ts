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
  /** Further names of this replica, set by the operator. */
  readonly tlsName: readonly string[];
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

/** How this replica announces itself to others, who do not know by which name it is reached. */
export function announcedEndpoints(addresses: Addresses): ReplicaEndpoints {
  return endpointsAt(addresses.advertise, addresses);
}

/**
 * Whether others are told the host name of this machine, since it listens on all of its addresses and no name of it is set:
 * they may not be able to resolve it.
 */
export function isGuessed({ advertise, tlsName, publicUrl, https, fleetlets }: Addresses): boolean {
  if (advertise !== undefined || namesIn(tlsName).length > 0) return false;
  const isPublic = publicUrl.some(({ protocol }) => protocol === 'https:');
  return isWildcard(fleetlets) || (!isPublic && isWildcard(https));
}

function endpointsAt(name: string | undefined, addresses: Addresses): ReplicaEndpoints {
  const { publicUrl, https, fleetlets } = addresses;
  const secure = publicUrl.find(({ protocol }) => protocol === 'https:');
  const at = (listener: HostPort): string => {
    const [own = hostname()] = isWildcard(listener) ? namesIn(addresses.tlsName) : [listener.host];
    return `${bracketed(name ?? own)}:${listener.port}`;
  };
  const web = secure?.host ?? (https && at(https));
  return {
    ...(fleetlets === undefined ? {} : { grpc: at(fleetlets) }),
    ...(web === undefined ? {} : { websocket: `wss://${web}${CHANNEL_WEB_SOCKET.path}` }),
  };
}

/** Of all addresses of this machine, which is no address to others. */
function isWildcard(at: HostPort | undefined): boolean {
  return at?.host === '0.0.0.0' || at?.host === '::';
}

/** Those that can be connected to: a certificate may also be for `*.example.com`. */
function namesIn(tlsName: readonly string[]): readonly string[] {
  return tlsName.filter((name) => !name.includes('*'));
}

/** Without the port. `undefined` for an invalid host. */
function hostnameOf(host: string | undefined): string | undefined {
  const url = host === undefined ? null : URL.parse(`http://${host}/`);
  return url === null || url.hostname === '' || url.username !== '' ? undefined : url.hostname;
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
