import { CHANNEL_WEB_SOCKET } from '#contexts/channels/adapters';
import type { FleetletEndpoints } from '#contexts/enrolment/adapters';
import type { HostPort } from '#kit/config';

export interface Reached {
  /** The Host header of the request: the name under which the client reached the platform. */
  readonly host: string | undefined;
  /** The public URLs set by the operator. */
  readonly publicUrl: readonly URL[];
  readonly https?: HostPort | undefined;
  readonly fleetlets?: HostPort | undefined;
}

/**
 * The endpoints for a fleetlet, under the name that it used to enrol, since the listen address may mean nothing on its
 * network.
 */
export function endpointsFor({ host, publicUrl, https, fleetlets }: Reached): FleetletEndpoints {
  const name = hostnameOf(host);
  const secure = publicUrl.find(({ protocol }) => protocol === 'https:');
  const web = secure?.host ?? (https && `${name ?? bracketed(https.host)}:${https.port}`);
  return {
    ...(fleetlets === undefined ? {} : { grpc: `${name ?? bracketed(fleetlets.host)}:${fleetlets.port}` }),
    ...(web === undefined ? {} : { websocket: `wss://${web}${CHANNEL_WEB_SOCKET.path}` }),
  };
}

/** Without the port. `undefined` for an invalid host. */
function hostnameOf(host: string | undefined): string | undefined {
  const url = host === undefined ? null : URL.parse(`http://${host}/`);
  return url === null || url.hostname === '' || url.username !== '' ? undefined : url.hostname;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
