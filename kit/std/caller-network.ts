const IPV4 = /^(\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?$/;
const GROUPS = 8;
/** Groups of an IPv6 /64, the network that one host or household commonly has to itself. */
const NETWORK_GROUPS = 4;

/**
 * The network that a per-address limit counts as one caller: an IPv4 address, or an IPv6 /64, whose owner can use any
 * number of addresses in it. Accepts a port: `10.0.0.7:443`, `[2001:db8::1]:443`. A text that is not an address is
 * returned unchanged.
 */
export function callerNetwork(address: string): string {
  const [, ipv4] = IPV4.exec(address) ?? [];
  if (ipv4 !== undefined) return ipv4;
  const [, bracketed] = /^\[([^\]]+)\]/.exec(address) ?? [];
  const groups = groupsOf((bracketed ?? address).split('%', 1)[0] ?? '');
  if (groups === undefined) return address;
  const mapped = mappedIpv4(groups);
  if (mapped !== undefined) return mapped;
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** The eight groups of an IPv6 address, as numbers. */
function groupsOf(text: string): number[] | undefined {
  if (!text.includes(':')) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = [halves[0] ?? '', halves[1]].map((half) => (half ? half.split(':').flatMap(numbersOf) : []));
  if (head === undefined || tail === undefined) return undefined;
  const missing = GROUPS - head.length - tail.length;
  const isWhole = halves.length === 2 ? missing >= 0 : missing === 0;
  const groups = [...head, ...Array.from({ length: isWhole ? missing : 0 }, () => 0), ...tail];
  return isWhole && groups.every((group) => group >= 0 && group <= 0xffff) ? groups : undefined;
}

/** The last group may be an IPv4 address, which counts as two. -1 for an invalid group. */
function numbersOf(group: string): number[] {
  if (/^[\da-f]{1,4}$/i.test(group)) return [Number.parseInt(group, 16)];
  if (!IPV4.test(group)) return [-1];
  const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}

/** A dual-stack socket reports an IPv4 caller as `::ffff:10.0.0.7`. */
function mappedIpv4(groups: readonly number[]): string | undefined {
  const [high = 0, low = 0] = groups.slice(-2);
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  return isMapped ? [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.') : undefined;
}
