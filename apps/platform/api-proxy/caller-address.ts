import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { plainAddress, trustedProxies } from '#kit/http';

type Asked = Pick<IncomingMessage, 'headers'> & { readonly socket: { readonly remoteAddress?: string | undefined } };

/**
 * The address of the caller. For connections from trusted proxies, it is the last address in `X-Forwarded-For` that is
 * not a trusted proxy. Otherwise all clients behind a proxy would share one rate limit.
 */
export function callerAddress(trusted: readonly string[]): (asked: Asked) => string {
  if (trusted.length === 0) return ({ socket }) => plainAddress(socket.remoteAddress ?? '');
  const isTrusted = trustedProxies(trusted);
  return ({ socket, headers }) => {
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
    const hops = [...forwarded.map((hop) => plainAddress(hop.trim())), plainAddress(socket.remoteAddress ?? '')];
    let at = hops.length - 1;
    while (at > 0 && isTrusted(hops[at] ?? '') && isIP(hops[at - 1] ?? '') !== 0) at -= 1;
    return hops[at] ?? '';
  };
}
