import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

export interface TransportRequest {
  readonly method: string;
  /** With its query, from the root of the server. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
  /** The response has no fixed end, so it must not take the place of short requests. */
  readonly streaming?: boolean;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Destroying it aborts the request. */
  readonly body: Readable;
  /** Valid after the end of the body: whether the server ended it. In Node a broken HTTP/2 stream simply ends. */
  isWhole(): boolean;
}

/**
 * Connections to one server under one certificate. Errors are `KubeError`s: `CONNECTION_REFUSED`,
 * `CERTIFICATE_REFUSED`, `PROXY_REFUSED` and `OVERLOADED` mean that the request never reached the server,
 * `CONNECTION_LOST` that it may have.
 */
export interface Transport {
  /** Resolves with the head of the response. An abort ends the request, and the body if it has begun. */
  send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse>;
  /** Accepts no new requests; those in flight may finish, and connections close with them. */
  retire(): void;
}
