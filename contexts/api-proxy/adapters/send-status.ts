import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { FleetError } from '#kit/std';
import { type KubeStatus, statusOf } from '../domain/kube-status.ts';

/** What went wrong, as Kubernetes would say it. What nobody foresaw is told to nobody: `undefined`. */
export function statusOfError(error: unknown): KubeStatus | undefined {
  if (!(error instanceof FleetError) || error.entry.category === 'internal') return undefined;
  const { retryAfterSeconds } = error.details;
  const seconds = typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined;
  return statusOf(error.entry.category, error.message, seconds);
}

/** Answers with it. What of the request is still to come is not waited for. */
export function sendStatus(response: ServerResponse, status: KubeStatus, challenge?: string): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const body = JSON.stringify(status);
  const { details } = status;
  response.writeHead(status.code, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(details && { 'retry-after': String(details.retryAfterSeconds) }),
    ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
    // Whoever is refused before all was read may still be sending: his next request begins on a fresh connection.
    connection: 'close',
  });
  response.end(body);
}

const LINGER_MS = 1_000;

/** A response on the connection of a request that wanted to become something else and does not. It is the last one there. */
export function responseOn(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.once('finish', () => {
    response.detachSocket(socket as Socket);
    socket.end();
    // Not at once: what the client still sends would reset the connection before the answer is read.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
  return response;
}
