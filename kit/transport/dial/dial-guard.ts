import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type IpBytes, type IpNetwork, isInNetwork, parseIp, parseIpNetwork, unlessAborted } from '#kit/std';
import { TransportError } from '../transport-error.ts';

export interface Place {
  readonly host: string;
  readonly port: number;
}

export interface DialGuardOptions {
  /** Networks that may be dialled besides public addresses. */
  readonly allow: readonly IpNetwork[];
  /** The addresses on which this program listens now. It never dials itself. */
  readonly own: () => readonly Place[];
  /** The setting that allows more networks, for the message of a refusal: `--dial-allow`. */
  readonly setting: string;
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>;
}

/** Checks addresses chosen by users before they are dialled. */
export interface DialGuard {
  /**
   * For `connect` of `node:net` and anything built on it: returns only addresses that were checked. Throws `ADDRESS_REFUSED` if
   * there is none, and `UNREACHABLE` for an unknown name.
   */
  lookupFor(place: Place, signal: AbortSignal): Promise<LookupFunction>;
  /** Checks a literal address only; a name is left to the component that resolves it. */
  checkLiteral(place: Place): void;
}

type Verdict = 'dial' | Refusal;

interface Refusal {
  /** A description of the address. */
  readonly refused: string;
  readonly isForGood: boolean;
}

const networks = (...texts: readonly string[]): readonly IpNetwork[] =>
  texts.map((text) => parseIpNetwork(text) ?? fail(text));

/** Metadata services of clouds, besides the link-local ones. */
const METADATA = networks('100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254');
const LINK_LOCAL = networks('169.254.0.0/16', 'fe80::/10');
const NOT_PUBLIC: readonly { readonly called: string; readonly networks: readonly IpNetwork[] }[] = [
  { called: 'a loopback address', networks: networks('127.0.0.0/8', '::1') },
  {
    called: 'a private address',
    networks: networks('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7', 'fec0::/10'),
  },
  { called: 'a multicast address', networks: networks('224.0.0.0/4', 'ff00::/8') },
  {
    called: 'a reserved address',
    networks: networks('0.0.0.0/8', '192.0.0.0/24', '198.18.0.0/15', '240.0.0.0/4', '2001::/32'),
  },
];
const IPV6_UNICAST = networks('2000::/3');
/** IPv6 networks with an embedded IPv4 address, and its offset. */
const TRANSLATED = [
  { networks: networks('64:ff9b::/96'), at: 12 },
  { networks: networks('2002::/16'), at: 2 },
];
const IPV4_BYTES = 4;

export function createDialGuard(options: DialGuardOptions): DialGuard {
  const { setting, resolve = (host) => lookup(host, { all: true, order: 'verbatim' }) } = options;
  const judge = (ip: IpBytes, port: number): Verdict => verdictOn(ip, port, options);
  return {
    lookupFor: async ({ host, port }, signal) => {
      const found = await addressesOf(host, resolve, signal);
      const verdicts = found.map(({ address }) => judge(parseIp(address) ?? [], port));
      const checked = found.filter((_, at) => verdicts[at] === 'dial');
      if (checked.length === 0)
        throw refusal(host, verdicts.find((verdict) => verdict !== 'dial') ?? RESERVED, setting);
      return pinned(checked);
    },
    checkLiteral: ({ host, port }) => {
      const ip = parseIp(host);
      const verdict = ip === undefined ? 'dial' : judge(ip, port);
      if (verdict !== 'dial') throw refusal(host, verdict, setting);
    },
  };
}

const RESERVED: Refusal = { refused: 'a reserved address', isForGood: false };

function verdictOn(ip: IpBytes, port: number, { allow, own }: Pick<DialGuardOptions, 'allow' | 'own'>): Verdict {
  const isIn = (some: readonly IpNetwork[]): boolean => some.some((network) => isInNetwork(ip, network));
  if (isIn(LINK_LOCAL)) return { refused: 'a link-local address', isForGood: true };
  if (isIn(METADATA)) return { refused: 'the address of a metadata service', isForGood: true };
  if (own().some((place) => isOwn(ip, port, place))) {
    return { refused: 'an address on which this program itself listens', isForGood: true };
  }
  const inside = TRANSLATED.find((kind) => isIn(kind.networks));
  if (inside !== undefined) {
    const verdict = verdictOn(ip.slice(inside.at, inside.at + IPV4_BYTES), port, { allow, own });
    if (verdict !== 'dial') return verdict;
  }
  if (isIn(allow)) return 'dial';
  const called = NOT_PUBLIC.find((kind) => isIn(kind.networks))?.called;
  if (called !== undefined) return { refused: called, isForGood: false };
  return ip.length === IPV4_BYTES || isIn(IPV6_UNICAST) ? 'dial' : RESERVED;
}

/** A listener on the unspecified address listens on every address of this machine. */
function isOwn(ip: IpBytes, port: number, listener: Place): boolean {
  if (port !== listener.port) return false;
  const at = parseIp(listener.host === 'localhost' ? '127.0.0.1' : listener.host);
  if (at === undefined) return false;
  if (at.some((byte) => byte !== 0)) return isSame(at, ip) || (listener.host === 'localhost' && isLoopback(ip));
  // A connection to the unspecified address also arrives at this machine.
  if (isLoopback(ip) || ip.every((byte) => byte === 0)) return true;
  const local = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  return local.some(({ address }) => isSame(parseIp(address) ?? [], ip));
}

function isLoopback(ip: IpBytes): boolean {
  return NOT_PUBLIC[0]?.networks.some((network) => isInNetwork(ip, network)) === true;
}

function isSame(one: IpBytes, other: IpBytes): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

async function addressesOf(
  host: string,
  resolve: NonNullable<DialGuardOptions['resolve']>,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  if (parseIp(host) !== undefined) return [{ address: host, family: host.includes(':') ? 6 : 4 }];
  try {
    return await unlessAborted(resolve(host), signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw new TransportError('UNREACHABLE', `resolve the name ${host}: unknown host`, { cause });
  }
}

function pinned(checked: readonly LookupAddress[]): LookupFunction {
  const [{ address, family } = { address: '', family: 4 }] = checked;
  return (_host, { all }, callback) => {
    if (all) callback(null, [...checked]);
    else callback(null, address, family);
  };
}

/** The addresses of a name are not disclosed: the caller may be outside, and the names of a network are its own business. */
function refusal(host: string, verdict: Refusal, setting: string): TransportError {
  const { refused, isForGood } = verdict;
  const is = parseIp(host) === undefined ? 'leads to' : 'is';
  const way = isForGood ? 'which is never dialled' : `which is dialled only within the networks of ${setting}`;
  const details = { address: host, ...(isForGood ? {} : { setting }) };
  return new TransportError('ADDRESS_REFUSED', `${host} ${is} ${refused}, ${way}`, { details });
}

function fail(text: string): never {
  throw new TypeError(`${text} is not a network`);
}
