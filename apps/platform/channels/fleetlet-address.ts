import { type HostPort, hostPort, type Kind, printHostPort } from '#kit/config';

const NONE = 'none';
const PORT = 8702;

/** Where fleetlets are served; without it, beside TLS. */
export const fleetletPlace: Kind<HostPort | typeof NONE> = {
  placeholder: 'HOST:PORT',
  expects: 'a host and a port, such as 0.0.0.0:8702, or none',
  parse: (given) => (given === NONE ? NONE : hostPort().parse(given)),
  print: (value) => (value === NONE ? NONE : printHostPort(value)),
};

export interface FleetletPlaces {
  readonly fleetletListen?: HostPort | typeof NONE | undefined;
  readonly tlsListen?: HostPort | undefined;
}

/** Whoever lets TLS take any free port, or serves none, wants the same for this. */
export function fleetletAddress({ fleetletListen, tlsListen }: FleetletPlaces): HostPort | undefined {
  if (fleetletListen === NONE) return undefined;
  if (fleetletListen !== undefined) return fleetletListen;
  return tlsListen && { host: tlsListen.host, port: tlsListen.port === 0 ? 0 : PORT };
}
