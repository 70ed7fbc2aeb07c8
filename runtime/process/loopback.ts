import { BlockList, isIPv6 } from 'node:net';

/** Checked first: the Node module that compares addresses takes longer to load than a small command runs. */
const USUAL = ['localhost', '127.0.0.1', '::1'];

/** Whether an address to listen on can be reached from this machine only. False for other host names. */
export function isLoopback(host: string): boolean {
  return USUAL.includes(host.toLowerCase()) || loopback().check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

function loopback(): BlockList {
  const list = new BlockList();
  list.addSubnet('127.0.0.0', 8, 'ipv4');
  list.addAddress('::1', 'ipv6');
  return list;
}
