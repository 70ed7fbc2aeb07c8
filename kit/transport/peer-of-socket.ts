import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Headers, Peer } from './transport.ts';

/** The peer of an accepted connection. `from` is the caller's address, if a proxy has reported it. */
export function peerOfSocket(socket: Socket, headers: Headers, from?: string): Peer {
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.raw : undefined;
  // Only the user of this process can open its Unix sockets.
  const isTrusted = socket.remoteAddress === undefined;
  return { address: from ?? addressOf(socket), headers, certificate, isTrusted };
}

/** Printable: `10.0.0.7:40112`, or `unix`, whose callers have no address. */
export function addressOf({ remoteAddress, remotePort }: Socket): string {
  return remoteAddress === undefined ? 'unix' : printAddress(remoteAddress, remotePort ?? 0);
}

export function printAddress(address: string, port: number): string {
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** HTTP headers without pseudo-headers. */
export function headersOf(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const own = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(':') || value === undefined ? [] : [[name, String(value)] as const],
  );
  return Object.fromEntries(own);
}
