import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

export interface TransportRequest {
  readonly method: string;
  /** With its query, from the root of the server. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
  /** The answer goes on for as long as both sides like, so it must not take the place of short ones. */
  readonly streaming?: boolean;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Destroying it gives the request up. */
  readonly body: Readable;
  /** Asked after the end of the body: whether it was the server that ended it. Node lets a broken HTTP/2 stream just end. */
  isWhole(): boolean;
}

/**
 * Connections to one server under one certificate. What goes wrong is a `KubeError`: `CONNECTION_REFUSED`,
 * `CERTIFICATE_REFUSED`, `PROXY_REFUSED` and `OVERLOADED` mean that the request never reached the server,
 * `CONNECTION_LOST` that it may have.
 */
export interface Transport {
  /** Resolves with the head of the answer. An abort ends the request, and the body when that has begun. */
  send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse>;
  /** Takes nothing new; what is under way may end, and connections close with it. */
  retire(): void;
}
