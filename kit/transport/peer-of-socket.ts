import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Headers, Peer } from './transport.ts';

/** Who is at the other end of a connection that was taken. */
export function peerOfSocket(socket: Socket, headers: Headers): Peer {
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.raw : undefined;
  return { address: addressOf(socket), headers, certificate };
}

/** As one line for people: `10.0.0.7:40112`, or `unix`, whose callers have no address. */
function addressOf({ remoteAddress, remotePort }: Socket): string {
  if (remoteAddress === undefined) return 'unix';
  return `${remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
}

/** Those of HTTP, without what belongs to the protocol itself. */
export function headersOf(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const own = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(':') || value === undefined ? [] : [[name, String(value)] as const],
  );
  return Object.fromEntries(own);
}
