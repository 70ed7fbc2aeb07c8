import { BadValue, type HostPort, hostPort, type Kind, printHostPort } from '#kit/config';

/** The address of the platform as configured. */
export type PlatformAddress =
  | ({ readonly kind: 'grpc' } & HostPort)
  | { readonly kind: 'websocket'; readonly url: URL }
  /** Address of the API, which announces the others. */
  | { readonly kind: 'api'; readonly url: URL };

const API_PORT = 8701;

export const platformAddress: Kind<PlatformAddress> = {
  placeholder: 'ADDRESS',
  expects: 'https://host:port, host:port or wss://host:port',
  parse(given) {
    if (!given.includes('://')) return { kind: 'grpc', ...endpoint(given, this.expects) };
    const url = URL.parse(given);
    if (url === null || url.username !== '' || url.password !== '') throw new BadValue(`is not ${this.expects}`);
    if (url.protocol === 'https:' || url.protocol === 'http:') return { kind: 'api', url };
    if (url.protocol === 'wss:' || url.protocol === 'ws:') return { kind: 'websocket', url };
    throw new BadValue(`is not ${this.expects}`);
  },
  print: (address) => (address.kind === 'grpc' ? printHostPort(address) : address.url.href),
};

export function hostOf(address: PlatformAddress): string {
  return address.kind === 'grpc' ? address.host : address.url.hostname;
}

/** The API at this address; a setting may override it. */
export function apiOf(address: PlatformAddress): URL {
  if (address.kind === 'api') return address.url;
  if (address.kind === 'grpc') return new URL(`https://${printHostPort({ ...address, port: API_PORT })}`);
  return new URL(`${address.url.protocol === 'ws:' ? 'http' : 'https'}://${address.url.host}`);
}

function endpoint(given: string, expects: string): HostPort {
  try {
    return hostPort().parse(given);
  } catch (error) {
    if (error instanceof BadValue) throw new BadValue(`is not ${expects}`, { cause: error });
    throw error;
  }
}
