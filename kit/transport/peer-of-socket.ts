import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Headers, Peer } from './transport.ts';

/** The other end of a connection that was taken. `from` is where it comes from, if a proxy has said so. */
export function peerOfSocket(socket: Socket, headers: Headers, from?: string): Peer {
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.raw : undefined;
  // Only the user of this process can open its Unix sockets.
  const isTrusted = socket.remoteAddress === undefined;
  return { address: from ?? addressOf(socket), headers, certificate, isTrusted };
}

/** As one line for people: `10.0.0.7:40112`, or `unix`, whose callers have no address. */
export function addressOf({ remoteAddress, remotePort }: Socket): string {
  return remoteAddress === undefined ? 'unix' : printAddress(remoteAddress, remotePort ?? 0);
}

export function printAddress(address: string, port: number): string {
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Those of HTTP, without what belongs to the protocol itself. */
export function headersOf(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const own = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(':') || value === undefined ? [] : [[name, String(value)] as const],
  );
  return Object.fromEntries(own);
}
