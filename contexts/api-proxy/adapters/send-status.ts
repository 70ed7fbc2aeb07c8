import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { FleetError } from '#kit/std';
import { type KubeStatus, statusOf } from '../domain/kube-status.ts';

/** The error as a Kubernetes status. `undefined` for internal errors, which are not disclosed. */
export function statusOfError(error: unknown): KubeStatus | undefined {
  if (!(error instanceof FleetError) || error.entry.category === 'internal') return undefined;
  const { retryAfterSeconds } = error.details;
  const seconds = typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined;
  return statusOf(error.entry.category, error.message, seconds);
}

/** Sends it as the response, without waiting for the rest of the request. */
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
    // A client refused before its request was read may still be sending, so its next request needs a new connection.
    connection: 'close',
  });
  response.end(body);
}

const LINGER_MS = 1_000;

/** A response on the connection of a refused upgrade. It is the last one on that connection. */
export function responseOn(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.once('finish', () => {
    response.detachSocket(socket as Socket);
    socket.end();
    // Delayed: data that the client still sends would reset the connection before the response is read.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
  return response;
}
