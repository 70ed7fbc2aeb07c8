import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

type Asked = Pick<IncomingMessage, 'headers'> & { readonly socket: { readonly remoteAddress?: string | undefined } };

/**
 * Where a request comes from. Of proxies that are trusted, by address or network, it is what they say: the last in
 * `X-Forwarded-For` that is none of them. Else everybody behind one would pay for what one of them does.
 */
export function callerAddress(trusted: readonly string[]): (asked: Asked) => string {
  const proxies = blockListOf(trusted);
  const isTrusted = (address: string): boolean =>
    isIP(address) !== 0 && proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  return ({ socket, headers }) => {
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
    const hops = [...forwarded.map((hop) => plain(hop.trim())), plain(socket.remoteAddress ?? '')];
    let at = hops.length - 1;
    while (at > 0 && isTrusted(hops[at] ?? '') && isIP(hops[at - 1] ?? '') !== 0) at -= 1;
    return hops[at] ?? '';
  };
}

function blockListOf(trusted: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of trusted) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    // What is no address is refused at the start, by the server that reads the same setting.
    if (isIP(address) === 0) continue;
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Of an IPv4 address that is written as one of IPv6. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
