import { type HostPort, hostPort, type Kind, printHostPort } from '#kit/config';

const NONE = 'none';
const PORT = 8702;

/** The address for fleetlets; next to that of TLS by default. */
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

/** If TLS takes any free port, or is not served, the same holds for fleetlets by default. */
export function fleetletAddress({ fleetletListen, tlsListen }: FleetletPlaces): HostPort | undefined {
  if (fleetletListen === NONE) return undefined;
  if (fleetletListen !== undefined) return fleetletListen;
  return tlsListen && { host: tlsListen.host, port: tlsListen.port === 0 ? 0 : PORT };
}
