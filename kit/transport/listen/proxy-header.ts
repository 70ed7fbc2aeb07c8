/**
 * PROXY protocol version 2: a header with which a load balancer that passes TLS through names its client.
 * https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt
 */
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const FIXED_BYTES = 16;
/** Addresses, and room for the extensions of some load balancers. */
export const MAX_PROXY_HEADER_BYTES = FIXED_BYTES + 1_024;
const VERSION = 2;
const COMMANDS = { local: 0, proxy: 1 } as const;
const [TCP4, TCP6] = [0x11, 0x21];

export type ProxyHeader =
  /** More bytes are needed. */
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'invalid'; readonly reason: string }
  /** `bytes` is its length. Without a source the proxy connects for itself, as in a health check. */
  | { readonly kind: 'header'; readonly bytes: number; readonly source: ProxySource | undefined };

export interface ProxySource {
  readonly address: string;
  readonly port: number;
}

export function parseProxyHeader(read: Buffer): ProxyHeader {
  const signed = Math.min(read.length, SIGNATURE.length);
  if (!read.subarray(0, signed).equals(SIGNATURE.subarray(0, signed))) {
    return invalid('it does not begin with the signature of version 2');
  }
  if (read.length < FIXED_BYTES) return { kind: 'incomplete' };
  const [version, command] = [read.readUInt8(12) >> 4, read.readUInt8(12) & 0x0f];
  if (version !== VERSION) return invalid(`its version is ${version}`);
  if (command !== COMMANDS.local && command !== COMMANDS.proxy) return invalid(`its command is ${command}`);
  const bytes = FIXED_BYTES + read.readUInt16BE(14);
  if (bytes > MAX_PROXY_HEADER_BYTES) return invalid(`it has ${bytes} bytes`);
  if (read.length < bytes) return { kind: 'incomplete' };
  if (command === COMMANDS.local) return { kind: 'header', bytes, source: undefined };
  return sourceIn(read.subarray(FIXED_BYTES, bytes), read.readUInt8(13), bytes);
}

function sourceIn(addresses: Buffer, family: number, bytes: number): ProxyHeader {
  // Two addresses and two ports; the source comes first.
  if (family === TCP4) {
    if (addresses.length < 12) return invalid('its addresses are cut short');
    const address = [...addresses.subarray(0, 4)].join('.');
    return { kind: 'header', bytes, source: { address, port: addresses.readUInt16BE(8) } };
  }
  if (family === TCP6) {
    if (addresses.length < 36) return invalid('its addresses are cut short');
    const groups = Array.from({ length: 8 }, (_, at) => addresses.readUInt16BE(2 * at).toString(16));
    return { kind: 'header', bytes, source: { address: groups.join(':'), port: addresses.readUInt16BE(32) } };
  }
  return { kind: 'header', bytes, source: undefined };
}

function invalid(reason: string): ProxyHeader {
  return { kind: 'invalid', reason };
}
