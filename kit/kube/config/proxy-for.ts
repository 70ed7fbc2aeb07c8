import { isIP } from 'node:net';
import { TransportError } from '#kit/transport';
import { addressOf, proxyFor as proxyForHost } from '#kit/transport/dial';
import { KubeError } from '../kube-error.ts';
import type { Environment } from './kube-config.ts';

/** The proxy that the environment sets for a server, by the rules of curl and Go. */
export function proxyFor(server: URL, environment: Environment): string | undefined {
  const protocol = server.protocol === 'https:' ? 'https' : 'http';
  try {
    return proxyForHost({ ...addressOf(server), protocol }, environment)?.href;
  } catch (cause) {
    if (!(cause instanceof TransportError)) throw cause;
    const name = `${protocol}_proxy`.toUpperCase();
    throw new KubeError('CONFIG_UNSUPPORTED', `${name} is not an http or https URL`, { cause });
  }
}

export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  );
}
