import { BlockList, isIP } from 'node:net';
import { TransportError } from '../transport-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface Destination {
  /** An IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;
  /** The protocol that is spoken there: each has its own variable. */
  readonly protocol: 'http' | 'https';
}

/**
 * The proxy that the environment names for connections to this host, by the rules of curl and Go programs: never for this
 * machine, nor for the names, suffixes, addresses or networks listed in NO_PROXY, each with or without a port.
 */
export function proxyFor({ host, port, protocol }: Destination, environment: Environment): URL | undefined {
  const name = `${protocol}_proxy`;
  const proxy = environment[name.toUpperCase()] || environment[name];
  if (!proxy || isLoopback(host)) return undefined;
  const exempt = (environment['NO_PROXY'] || environment['no_proxy'] || '').split(',');
  if (exempt.some((entry) => matches(entry.trim().toLowerCase(), host.toLowerCase(), port))) return undefined;
  return parseProxy(proxy);
}

/** `proxy:3128` means http, as in other tools. */
export function parseProxy(proxy: string): URL {
  const url = URL.parse(proxy.includes('://') ? proxy : `http://${proxy}`);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  // The value is not quoted, because it may contain a password.
  throw new TransportError('UNREACHABLE', 'read the address of the proxy: it is not an http or https address');
}

function isLoopback(host: string): boolean {
  return /^(?:.+\.)?localhost$/.test(host) || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function matches(entry: string, host: string, port: number): boolean {
  if (entry === '' || entry === '*') return entry === '*';
  if (entry.includes('/')) return isWithin(host, entry);
  const { name, port: onlyPort } = split(entry);
  if (onlyPort !== undefined && onlyPort !== port) return false;
  if (isIP(host) !== 0) return host === name;
  // With a leading dot, only names below it match.
  const suffix = name.replace(/^\*?\./, '.');
  return suffix.startsWith('.') ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`);
}

function split(entry: string): { name: string; port: number | undefined } {
  // An IPv6 address without brackets contains no port.
  if (isIP(entry) === 6) return { name: entry, port: undefined };
  const [, name = entry, port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  return { name: name.replace(/^\[|\]$/g, ''), port: port === undefined ? undefined : Number(port) };
}

function isWithin(host: string, range: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family) return false;
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), type);
  return list.check(host, type);
}
