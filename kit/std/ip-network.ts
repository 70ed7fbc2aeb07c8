/** The bytes of an address: 4 for IPv4, 16 for IPv6. */
export type IpBytes = readonly number[];

/** All addresses that begin with the same bits. */
export interface IpNetwork {
  readonly bytes: IpBytes;
  readonly bits: number;
}

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** `undefined` if the text is not an address. An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) becomes IPv4. */
export function parseIp(text: string): IpBytes | undefined {
  // The zone (interface) is not part of the address.
  const bytes = text.includes(':') ? parseIpv6(text.replace(/%.*$/s, '')) : parseIpv4(text);
  return bytes?.length === 16 && MAPPED.every((byte, at) => bytes[at] === byte) ? bytes.slice(12) : bytes;
}

/** `10.0.0.0/8`, `fd00::/8`, or a single address. `undefined` for anything else, including networks with host bits set. */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  const bytes = address.includes('%') ? undefined : parseIp(address);
  if (bytes === undefined || rest.length > 0) return undefined;
  const size = bytes.length * 8;
  if (prefix === undefined) return { bytes, bits: size };
  // The prefix of `::ffff:10.0.0.0/104` counts the bits of the IPv6 form.
  const bits = Number(prefix) - (address.includes(':') && size === 32 ? 96 : 0);
  if (!/^\d{1,3}$/.test(prefix) || bits < 0 || bits > size) return undefined;
  const isPrefix = bytes.every((byte, at) => (byte & ~maskOf(at, bits)) === 0);
  return isPrefix ? { bytes, bits } : undefined;
}

export function isInNetwork(ip: IpBytes, { bytes, bits }: IpNetwork): boolean {
  return ip.length === bytes.length && ip.every((byte, at) => (byte & maskOf(at, bits)) === bytes[at]);
}

/** The bits of this byte that belong to a prefix of that length. */
function maskOf(at: number, bits: number): number {
  const left = Math.min(8, Math.max(0, bits - at * 8));
  return (0xff << (8 - left)) & 0xff;
}

function parseIpv4(text: string): IpBytes | undefined {
  const parts = text.split('.');
  const isIpv4 = parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
  return isIpv4 ? parts.map(Number) : undefined;
}

function parseIpv6(text: string): IpBytes | undefined {
  const halves = text.split('::');
  if (halves.length > 2 || (halves.length === 2 && halves[0]?.includes('.'))) return undefined;
  const [head, tail] = halves.map(bytesOfGroups);
  if (head === undefined) return undefined;
  if (halves.length === 1) return head.length === 16 ? head : undefined;
  if (tail === undefined || head.length + tail.length > 14) return undefined;
  return [...head, ...Array.from({ length: 16 - head.length - tail.length }, () => 0), ...tail];
}

/** The last group may be an IPv4 address. */
function bytesOfGroups(text: string): IpBytes | undefined {
  if (text === '') return [];
  const groups = text.split(':');
  const bytes: number[] = [];
  for (const [at, group] of groups.entries()) {
    const ipv4 = at === groups.length - 1 && group.includes('.') ? parseIpv4(group) : undefined;
    if (ipv4 === undefined && !/^[\da-f]{1,4}$/i.test(group)) return undefined;
    const value = Number.parseInt(group, 16);
    bytes.push(...(ipv4 ?? [value >> 8, value & 0xff]));
  }
  return bytes;
}
