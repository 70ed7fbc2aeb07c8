import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { TransportError } from '../transport-error.ts';

interface Tunnel {
  /** `http:` or `https:`, with user and password if the proxy needs them. */
  readonly proxy: URL;
  readonly host: string;
  readonly port: number;
  /** Resolves the name of the proxy. */
  readonly lookup?: LookupFunction | undefined;
}

export function addressOf({ hostname, port, protocol }: URL): { readonly host: string; readonly port: number } {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (protocol === 'https:' ? 443 : 80)) };
}

/** A connection to host and port that a proxy makes with CONNECT. */
export async function openTunnel({ proxy, host, port, lookup }: Tunnel, signal: AbortSignal): Promise<Socket> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const doing = `ask the proxy ${proxy.host} for a connection to ${target}`;
  const send = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = send({
    ...addressOf(proxy),
    ...(lookup && { lookup }),
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...authorization(proxy) },
    agent: false,
    signal,
  });
  const { response, socket } = await answer(request, { doing, proxy: proxy.host }, signal);
  if (response.statusCode === 200) return socket.setNoDelay(true).setKeepAlive(true, 30_000);
  socket.destroy();
  const said = `${response.statusCode} ${response.statusMessage ?? ''}`.trimEnd();
  throw new TransportError('UNREACHABLE', `${doing}: it answered ${said}`, {
    details: { proxy: proxy.host, httpStatus: response.statusCode },
  });
}

async function answer(
  request: ClientRequest,
  { doing, proxy }: { readonly doing: string; readonly proxy: string },
  signal: AbortSignal,
) {
  const { promise, resolve, reject } = Promise.withResolvers<{ response: IncomingMessage; socket: Socket }>();
  // A proxy may send any answer but 200 as an ordinary response with a body.
  request.once('connect', (response: IncomingMessage, socket: Socket, early: Buffer) => {
    // The other end may speak first.
    if (early.length > 0) socket.unshift(early);
    resolve({ response, socket });
  });
  request.once('response', (response: IncomingMessage) => resolve({ response, socket: response.socket }));
  request.once('error', reject).end();
  try {
    return await promise;
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    throw new TransportError('UNREACHABLE', `${doing}: ${why}`, { cause: error, details: { proxy } });
  }
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
