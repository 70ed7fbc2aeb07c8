/** A continuous sequence of numbered messages on one channel, in one direction, with one key. */
export interface Flow {
  readonly channel: string;
  readonly direction: 'up' | 'down';
  readonly key: string;
}

export interface FlowChannel {
  readonly name: string;
  readonly mode: 'reliable' | 'lossy';
  readonly shards: number;
}

/** Two built-in channels, one with a connection of its own, one with several streams, and one that is lossy. */
export const CHANNELS: readonly FlowChannel[] = [
  { name: 'delivery', mode: 'reliable', shards: 1 },
  { name: 'status', mode: 'reliable', shards: 1 },
  { name: 'index', mode: 'reliable', shards: 1 },
  { name: 'test/sharded', mode: 'reliable', shards: 4 },
  { name: 'test/lossy', mode: 'lossy', shards: 1 },
];

/** Questions to the platform about callers: answered by the fleetlet, which asks the platform. */
export const ACCESS = 'access';

export const FLOWS: readonly Flow[] = [
  ...each('delivery', 'down', ['a', 'b']),
  ...each('delivery', 'up', ['a', 'b']),
  ...each('status', 'up', ['']),
  ...each('index', 'up', ['a']),
  ...each('test/sharded', 'down', ['a', 'b', 'c', 'd']),
  ...each('test/sharded', 'up', ['a', 'b', 'c', 'd']),
  ...each('test/lossy', 'down', ['a']),
  ...each('test/lossy', 'up', ['a']),
];

function each(channel: string, direction: Flow['direction'], keys: readonly string[]): Flow[] {
  return keys.map((key) => ({ channel, direction, key }));
}

export function flowName({ channel, direction, key }: Flow): string {
  return `${channel}:${direction}:${key}`;
}

export function channelOf({ channel }: Flow): FlowChannel {
  const known = CHANNELS.find(({ name }) => name === channel);
  if (known === undefined) throw new Error(`there is no channel ${channel}`);
  return known;
}

export const TARGET = { name: 'edge', type: 'directory', uid: '01920000-0000-7000-8000-0000000000aa' } as const;

const LARGE_EVERY = 89;
/** Large enough to travel in chunks. */
export const LARGE_BYTES = 300_000;

/** The number, padded to the size of a message with that number. */
export function payloadOf(number: number): Buffer {
  const size = number % LARGE_EVERY === 0 ? LARGE_BYTES : 16 + ((number * 7_919) % 1_500);
  const payload = Buffer.alloc(size, number % 256);
  payload.writeUInt32BE(number);
  return payload;
}

/** `undefined` if the payload was altered. */
export function numberIn(payload: Uint8Array): number | undefined {
  const number = Buffer.from(payload.buffer, payload.byteOffset, payload.length).readUInt32BE();
  return payloadOf(number).equals(payload) ? number : undefined;
}
