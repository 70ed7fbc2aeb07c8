import { BlockList, isIP } from 'node:net';
import { KubeError } from '../kube-error.ts';
import type { Environment } from './kube-config.ts';

/** The proxy that the environment sets for a server, by the rules of curl and Go. */
export function proxyFor(server: URL, environment: Environment): string | undefined {
  const names = server.protocol === 'https:' ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  const proxy = names.map((name) => environment[name]).find(Boolean);
  if (proxy === undefined || isLoopback(server.hostname)) return undefined;
  if (isExempt(server, environment['NO_PROXY'] || environment['no_proxy'] || '')) return undefined;
  // `proxy:3128` means http, as in other programs.
  const url = URL.parse(proxy.includes('://') ? proxy : `http://${proxy}`);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
  throw new KubeError('CONFIG_UNSUPPORTED', `${names[0]} is not an http or https URL`);
}

export function isLoopback(hostname: string): boolean {
  const host = bare(hostname);
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  );
}

function isExempt(server: URL, noProxy: string): boolean {
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== '' && matches(entry, server));
}

function matches(entry: string, server: URL): boolean {
  if (entry === '*') return true;
  const host = bare(server.hostname).toLowerCase();
  if (entry.includes('/')) return isWithin(host, entry);
  const [, name = '', port] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (port !== undefined && port !== (server.port || (server.protocol === 'https:' ? '443' : '80'))) return false;
  const suffix = bare(name).replace(/^\*?\./, '.');
  if (isIP(host)) return host === suffix;
  return suffix.startsWith('.') ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`);
}

function isWithin(host: string, range: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128))
    return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), type);
  return list.check(host, type);
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
