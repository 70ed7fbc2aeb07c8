import { BlockList, isIP, isIPv6 } from 'node:net';

/** Whether an address is in the list of addresses and networks. */
export function trustedProxies(trusted: readonly string[]): (address: string) => boolean {
  const proxies = blockListOf(trusted);
  return (address) => {
    const own = plainAddress(address);
    return isIP(own) !== 0 && proxies.check(own, isIPv6(own) ? 'ipv6' : 'ipv4');
  };
}

/** Converts an IPv4-mapped IPv6 address to IPv4. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function blockListOf(trusted: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of trusted) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    // Invalid addresses are refused at startup, by the server that reads the same setting.
    if (isIP(address) === 0) continue;
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
