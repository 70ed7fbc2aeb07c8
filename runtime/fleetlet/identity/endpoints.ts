import { BadValue, type HostPort, hostPort } from '#kit/config';

/** Where a replica of the platform takes fleetlets. */
export interface Endpoints {
  readonly grpc?: string | undefined;
  readonly websocket?: string | undefined;
}

/** Of the replica that answered, and of the others. */
export interface PlatformEndpoints extends Endpoints {
  readonly replicas?: readonly Endpoints[] | undefined;
}

const MAX_LENGTH = 300;
const EXPECTED = { grpc: 'host:port', websocket: 'wss://host' } as const;

export function grpcEndpoint(text: string): HostPort | undefined {
  try {
    const at = text.length > MAX_LENGTH ? undefined : hostPort().parse(text);
    return at?.port === 0 ? undefined : at;
  } catch (error) {
    if (error instanceof BadValue) return undefined;
    throw error;
  }
}

export function webSocketEndpoint(text: string): URL | undefined {
  const url = text.length > MAX_LENGTH ? null : URL.parse(text);
  if (url === null || url.protocol !== 'wss:' || url.username !== '' || url.password !== '') return undefined;
  return url.hostname === '' ? undefined : url;
}

/** Takes a fault of an endpoint: the endpoint, shortened, and what it should be. */
export type OnUnusable = (endpoint: string, expected: string) => void;

/** The endpoints that can be connected to. An endpoint that cannot be is left out: it must not hide the others. */
export function usableEndpoints(given: unknown, onUnusable: OnUnusable): PlatformEndpoints {
  const replicas: unknown = fieldOf(given, 'replicas');
  const own = usable(given, onUnusable);
  if (!Array.isArray(replicas)) return own;
  const others = replicas.map((each: unknown) => usable(each, onUnusable));
  return { ...own, replicas: others.filter(({ grpc, websocket }) => grpc !== undefined || websocket !== undefined) };
}

function usable(given: unknown, onUnusable: OnUnusable): Endpoints {
  const read = (field: keyof Endpoints, parse: (text: string) => unknown): Endpoints => {
    const value = fieldOf(given, field);
    // A replica that has no such listener says nothing, or an empty text.
    if (value === undefined || value === '') return {};
    if (typeof value === 'string' && parse(value) !== undefined) return { [field]: value };
    const shown = typeof value === 'string' ? value : JSON.stringify(value);
    onUnusable(shown.slice(0, MAX_LENGTH), EXPECTED[field]);
    return {};
  };
  return { ...read('grpc', grpcEndpoint), ...read('websocket', webSocketEndpoint) };
}

function fieldOf(given: unknown, field: string): unknown {
  return typeof given === 'object' && given !== null ? Reflect.get(given, field) : undefined;
}
