import { CHANNEL_WEB_SOCKET } from '#contexts/channels/adapters';
import type { FleetletEndpoints } from '#contexts/enrolment/adapters';
import type { HostPort } from '#kit/config';

export interface Reached {
  /** The header Host of whoever asks: the name that it knows us by. */
  readonly host: string | undefined;
  /** What an operator says that others reach us at. */
  readonly publicUrl: readonly URL[];
  readonly https?: HostPort | undefined;
  readonly fleetlets?: HostPort | undefined;
}

/**
 * Where a fleetlet connects to: by the name that it found us at when it enrolled, since the address that we listen at may
 * mean nothing where it is.
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

/** Without the port. `undefined` for what is no host at all. */
function hostnameOf(host: string | undefined): string | undefined {
  const url = host === undefined ? null : URL.parse(`http://${host}/`);
  return url === null || url.hostname === '' || url.username !== '' ? undefined : url.hostname;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
