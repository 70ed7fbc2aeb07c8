import {
  type Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { type BodyFraming, framingHeaders, framingOf } from '../domain/body-framing.ts';
import { answeredHeaders, type Headers } from '../domain/header-policy.ts';
import { responseOn } from './send-status.ts';

/** The next hop of a request. */
export interface NextHop {
  readonly agent: Agent;
  /** Selects the connections of the agent; only the code that opens them interprets it. */
  readonly host: string;
  readonly path: string;
  readonly headers: Headers;
  /** Set where both ends of a connection authenticate what they write. */
  readonly seal?: Seal;
}

export interface Seal {
  /** The headers that authenticate a request; called once, when its connection is known. */
  headers(connection: Duplex): Readonly<Record<string, string>>;
  /** Whether this answers the request that was sent last on the connection. */
  isAnswer(connection: Duplex, answer: IncomingMessage): boolean;
}

export interface Forwarding {
  readonly next: NextHop;
  /** Added to every response. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** Called instead of a response, which can still be sent. */
  readonly refused: (response: ServerResponse, error: Error) => void;
  /** Called for each response before it is passed on; `true` if the callback has answered instead. */
  readonly intercept?: (incoming: IncomingMessage, response: ServerResponse) => boolean;
  /**
   * Called when a response broke off, before the caller's response is cut: until it resolves, a final message may be
   * sent.
   */
  readonly brokenOff?: () => Promise<void>;
}

const MAX_ANSWER_HEADERS = 256 * 1024;
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Streams one request and its response. Nothing is buffered: a slow end slows the other, and when one end closes, so
 * does the other. Trailers are dropped.
 *
 * Body framing is set afresh in both directions. A connection is reused only if both request and response ended
 * properly.
 */
export function forwardRequest(request: IncomingMessage, response: ServerResponse, forwarding: Forwarding): void {
  const framing = framingOf(request.rawHeaders);
  if (framing === undefined) {
    forwarding.refused(response, new Error('the end of the request body is ambiguous'));
    return;
  }
  const outgoing = ask(request, forwarding.next, framingHeaders(framing, request.method ?? ''));
  // A response that ends before its request leaves the rest of the request on the connection.
  response.once('close', () => {
    if (!response.writableFinished || !outgoing.writableFinished) outgoing.destroy();
    request.resume();
  });
  outgoing.once('response', (incoming) => {
    if (isAnswer(outgoing, incoming, forwarding)) passOn(incoming, response, forwarding);
    else refuse(new Error('the response does not belong to this request'));
  });
  const refuse = (error: Error): void => {
    outgoing.destroy();
    if (response.headersSent) breakOff(response, forwarding);
    else if (!response.destroyed) forwarding.refused(withAnswerHeaders(response, forwarding), error);
  };
  // Without this handler Node would drop an unrequested upgrade silently.
  outgoing.once('upgrade', (_answer, upstream) => {
    upstream.destroy();
    refuse(new Error('the response is an upgrade that was not requested'));
  });
  outgoing.on('error', refuse);
  begin(outgoing, forwarding.next, () => sendBody(request, outgoing, framing));
}

export interface Upgraded {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** The bytes received right after the request. */
  readonly head: Buffer;
}

/** The same for a connection upgrade. If the server refuses the upgrade, its response ends the connection. */
export function forwardUpgrade({ request, socket, head }: Upgraded, forwarding: Forwarding): void {
  const { method = '', headers } = request;
  const outgoing = ask(request, forwarding.next, {
    ...framingHeaders({ kind: 'none' }, method),
    connection: 'Upgrade',
    upgrade: headers.upgrade ?? '',
  });
  const gone = (): void => void outgoing.destroy();
  // A connection has one response: a failure after it has begun ends the connection.
  let isAnswered = false;
  const respond = (): ServerResponse => {
    isAnswered = true;
    return withAnswerHeaders(responseOn(request, socket), forwarding);
  };
  const refuse = (error: Error): void => {
    outgoing.destroy();
    if (isAnswered) socket.destroy();
    else if (!socket.destroyed) forwarding.refused(respond(), error);
  };
  socket.once('close', gone);
  socket.on('error', () => socket.destroy());
  outgoing.once('upgrade', (answer, upstream, rest) => {
    // From here on, each side stays open until the other has received everything.
    socket.off('close', gone);
    if (socket.destroyed || answer.statusCode !== 101 || !isAnswer(outgoing, answer, forwarding)) {
      upstream.destroy();
      refuse(new Error('the response does not belong to this request'));
      return;
    }
    isAnswered = true;
    socket.write(headOf(answer, forwarding.answerHeaders));
    if (rest.length > 0) socket.write(rest);
    if (head.length > 0) upstream.write(head);
    join(socket, upstream);
  });
  outgoing.once('response', (incoming) => {
    // The server may disagree about where the request ended.
    outgoing.shouldKeepAlive = false;
    if (isAnswer(outgoing, incoming, forwarding)) passOn(incoming, respond(), forwarding);
    else refuse(new Error('the response does not belong to this request'));
  });
  outgoing.on('error', refuse);
  begin(outgoing, forwarding.next, () => outgoing.end());
}

function ask({ method }: IncomingMessage, { agent, host, path, headers }: NextHop, ours: Headers): ClientRequest {
  const sent = { ...headers, ...ours } as OutgoingHttpHeaders;
  return httpRequest({
    agent,
    host,
    path,
    headers: sent,
    setHost: false,
    maxHeaderSize: MAX_ANSWER_HEADERS,
    ...(method === undefined ? {} : { method }),
  });
}

/** Nothing is written before there is a connection, since the connection determines the proof of the request. */
function begin(outgoing: ClientRequest, { seal }: NextHop, send: () => void): void {
  outgoing.once('socket', (connection: Duplex) => {
    if (outgoing.destroyed) return;
    for (const [name, value] of Object.entries(seal?.headers(connection) ?? {})) outgoing.setHeader(name, value);
    send();
  });
}

function isAnswer({ socket }: ClientRequest, answer: IncomingMessage, { next: { seal } }: Forwarding): boolean {
  return seal === undefined || (socket !== null && seal.isAnswer(socket, answer));
}

/** Sends exactly as much as was announced; bytes beyond that are never written. */
function sendBody(request: IncomingMessage, outgoing: ClientRequest, framing: BodyFraming): void {
  let left = framing.kind === 'length' ? framing.length : framing.kind === 'none' ? 0 : Number.POSITIVE_INFINITY;
  const isWhole = (): boolean => request.complete && (framing.kind === 'chunked' || left === 0);
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) outgoing.destroy(new Error('the request body is longer than announced'));
  });
  request.once('close', () => {
    if (!isWhole()) outgoing.destroy();
  });
  request.once('end', () => {
    if (isWhole()) outgoing.end();
    else outgoing.destroy(new Error('the request body is shorter than announced'));
  });
  if (framing.kind === 'none') request.resume();
  else request.pipe(outgoing, { end: false });
}

function passOn(incoming: IncomingMessage, response: ServerResponse, forwarding: Forwarding): void {
  if (response.destroyed) {
    incoming.destroy();
    return;
  }
  const { answerHeaders, intercept, refused } = forwarding;
  const { statusCode = 0, rawHeaders } = incoming;
  const framing = framingOf(rawHeaders);
  if (framing === undefined || statusCode < 200 || statusCode > 599) {
    incoming.destroy();
    refused(withAnswerHeaders(response, forwarding), new Error('the response cannot be forwarded'));
    return;
  }
  if (intercept?.(incoming, response) === true) {
    incoming.destroy();
    return;
  }
  response.writeHead(statusCode, messageOf(incoming), {
    ...(answeredHeaders(rawHeaders) as OutgoingHttpHeaders),
    // Otherwise Node uses chunks, or ends the connection for clients that do not know chunks.
    ...(framing.kind === 'length' && statusCode !== 204 ? { 'content-length': String(framing.length) } : {}),
    ...answerHeaders,
  });
  flushSoon(incoming, response);
  incoming.on('error', () => {}).pipe(response);
  response.once('close', () => incoming.destroy());
  incoming.once('close', () => {
    if (!incoming.readableEnded) breakOff(response, forwarding);
  });
}

/**
 * The client of a watch waits for the headers, even before the first event. Most responses have come with their body,
 * and then one write sends both.
 */
function flushSoon(incoming: IncomingMessage, response: ServerResponse): void {
  const flush = setImmediate(() => response.flushHeaders());
  const isSent = (): void => clearImmediate(flush);
  incoming.once('data', isSent);
  response.once('finish', isSent);
  response.once('close', isSent);
}

/** The caller must not take a partial response for a complete one. */
function breakOff(response: ServerResponse, { brokenOff }: Forwarding): void {
  if (response.destroyed || response.writableEnded) return;
  if (brokenOff === undefined) {
    response.destroy();
    return;
  }
  const cut = (): void => {
    if (!response.writableEnded) response.destroy();
  };
  brokenOff().then(cut, cut);
}

/** For refusals by the proxy itself. */
function withAnswerHeaders(response: ServerResponse, { answerHeaders = {} }: Forwarding): ServerResponse {
  for (const [name, value] of Object.entries(answerHeaders)) response.setHeader(name, value);
  return response;
}

/**
 * Restricted to characters that a status line may contain: Node reads others as well, and throws when they are written.
 */
function messageOf({ statusCode = 0, statusMessage = '' }: IncomingMessage): string {
  return HEADER_TEXT.test(statusMessage) ? statusMessage : (STATUS_CODES[statusCode] ?? '');
}

/** Until both sides have ended, or one closes before it has. */
function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on('error', () => from.destroy());
    // A side that ended properly may close long before the other side has read everything.
    from.once('close', () => {
      if (!from.readableEnded) to.destroy();
    });
  }
}

function headOf(answer: IncomingMessage, more = {}): string {
  const { statusCode = 101, rawHeaders, headers } = answer;
  const passed = Object.entries({
    ...answeredHeaders(rawHeaders),
    ...more,
    connection: 'Upgrade',
    upgrade: headers.upgrade ?? '',
  });
  const lines = passed.flatMap(([name, values]) =>
    [values]
      .flat()
      .filter((value) => HEADER_TEXT.test(value))
      .map((value) => `${name}: ${value}\r\n`),
  );
  return `HTTP/1.1 ${statusCode} ${messageOf(answer) || STATUS_CODES[statusCode]}\r\n${lines.join('')}\r\n`;
}
