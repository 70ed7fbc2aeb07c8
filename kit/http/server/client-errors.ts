import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { HttpError, type HttpErrorCode } from '../errors/http-error.ts';
import { problemHeaders, statusOf, toProblem } from '../errors/problem.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

const FROM_NODE: ReadonlyMap<string, readonly [HttpErrorCode, string]> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    ['HEADERS_TOO_LARGE', 'The address and headers are larger than this server accepts. Send less.'],
  ],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', ['BODY_TOO_LARGE', 'The body has more chunk extensions than this server accepts.']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['REQUEST_TOO_SLOW', 'The request did not arrive in time. Send it again, faster.']],
]);

const LINGER_MS = 1000;

/** Translates a connection error that occurred before there was a request. */
export function errorOfConnection(error: Error & { readonly code?: string }): HttpError {
  const [code, message] = FROM_NODE.get(error.code ?? '') ?? [
    'MALFORMED_REQUEST',
    'The server does not understand this as HTTP. Send an HTTP/1.1 request.',
  ];
  return new HttpError(code, message, { cause: error });
}

/** Writes a problem where there is no request to answer, and closes the connection. */
export function answerConnection(error: HttpError, socket: Duplex): void {
  const body = JSON.stringify(toProblem(error, { instance: '', requestId: randomUUID() }));
  const lines = Object.entries(headersFor(error, body)).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = statusOf(error);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  // Delayed: data that the client is still sending would reset the connection before the response is read.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** The same when Node has already created a response object. */
export function answerResponse(error: HttpError, response: ServerResponse, instance: string): void {
  const body = JSON.stringify(toProblem(error, { instance, requestId: randomUUID() }));
  response.writeHead(statusOf(error), headersFor(error, body));
  response.end(body);
}

function headersFor(error: HttpError, body: string): Readonly<Record<string, string>> {
  const length = String(Buffer.byteLength(body));
  return { ...SECURITY_HEADERS, ...problemHeaders(error), 'content-length': length, connection: 'close' };
}
