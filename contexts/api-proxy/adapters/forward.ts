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

/** The next one on the way. */
export interface NextHop {
  readonly agent: Agent;
  /** Which connections of the agent; whoever makes them knows what it means. */
  readonly host: string;
  readonly path: string;
  readonly headers: Headers;
  /** Where both ends of a connection prove what they write. */
  readonly seal?: Seal;
}

export interface Seal {
  /** Of a request; called once, when it is known which connection it takes. */
  headers(connection: Duplex): Readonly<Record<string, string>>;
  /** Whether that is the answer to the request that was sent last on the connection. */
  isAnswer(connection: Duplex, answer: IncomingMessage): boolean;
}

export interface Forwarding {
  readonly next: NextHop;
  /** What every answer carries besides its own. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** Instead of an answer, which may still be given. */
  readonly refused: (response: ServerResponse, error: Error) => void;
  /** Asked about each answer before it is passed on; `true` if that has answered instead. */
  readonly intercept?: (incoming: IncomingMessage, response: ServerResponse) => boolean;
  /** Asked when an answer broke off, before the caller's is cut as well: until it resolves, something may be said in its place. */
  readonly brokenOff?: () => Promise<void>;
}

const MAX_ANSWER_HEADERS = 256 * 1024;
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * One request and its answer, as they come: nothing is kept, whoever is slow slows the other, and whoever goes takes the other
 * along. Trailers end here.
 *
 * Where bodies end is said anew in both directions. A connection whose exchange did not end in order, both ways, is not used again.
 */
export function forwardRequest(request: IncomingMessage, response: ServerResponse, forwarding: Forwarding): void {
  const framing = framingOf(request.rawHeaders);
  if (framing === undefined) {
    forwarding.refused(response, new Error('its body has no single end'));
    return;
  }
  const outgoing = ask(request, forwarding.next, framingHeaders(framing, request.method ?? ''));
  // An answer that ends before its request does leaves the rest of the request behind on the connection.
  response.once('close', () => {
    if (!response.writableFinished || !outgoing.writableFinished) outgoing.destroy();
    request.resume();
  });
  outgoing.once('response', (incoming) => {
    if (isAnswer(outgoing, incoming, forwarding)) passOn(incoming, response, forwarding);
    else refuse(new Error('the answer was not to this request'));
  });
  const refuse = (error: Error): void => {
    outgoing.destroy();
    if (response.headersSent) breakOff(response, forwarding);
    else if (!response.destroyed) forwarding.refused(withAnswerHeaders(response, forwarding), error);
  };
  // Nobody asked for it, and Node would say nothing.
  outgoing.once('upgrade', (_answer, upstream) => {
    upstream.destroy();
    refuse(new Error('the answer was an upgrade that nobody asked for'));
  });
  outgoing.on('error', refuse);
  begin(outgoing, forwarding.next, () => sendBody(request, outgoing, framing));
}

export interface Upgraded {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What came right behind the request. */
  readonly head: Buffer;
}

/** The same for a connection that is to become something else. Where the server does not want that, its answer is the last word. */
export function forwardUpgrade({ request, socket, head }: Upgraded, forwarding: Forwarding): void {
  const { method = '', headers } = request;
  const outgoing = ask(request, forwarding.next, {
    ...framingHeaders({ kind: 'none' }, method),
    connection: 'Upgrade',
    upgrade: headers.upgrade ?? '',
  });
  const gone = (): void => void outgoing.destroy();
  // A connection has one answer: what goes wrong after it has begun ends the connection.
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
    // From here on each end lasts until the other has heard all of it.
    socket.off('close', gone);
    if (socket.destroyed || answer.statusCode !== 101 || !isAnswer(outgoing, answer, forwarding)) {
      upstream.destroy();
      refuse(new Error('the answer was not to this request'));
      return;
    }
    isAnswered = true;
    socket.write(headOf(answer, forwarding.answerHeaders));
    if (rest.length > 0) socket.write(rest);
    if (head.length > 0) upstream.write(head);
    join(socket, upstream);
  });
  outgoing.once('response', (incoming) => {
    // It may have taken something else for the end of the request than we did.
    outgoing.shouldKeepAlive = false;
    if (isAnswer(outgoing, incoming, forwarding)) passOn(incoming, respond(), forwarding);
    else refuse(new Error('the answer was not to this request'));
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

/** Nothing is written before there is a connection, which decides what proves the request. */
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

/** As much as was announced, and no more: what has no end of its own is never written. */
function sendBody(request: IncomingMessage, outgoing: ClientRequest, framing: BodyFraming): void {
  let left = framing.kind === 'length' ? framing.length : framing.kind === 'none' ? 0 : Number.POSITIVE_INFINITY;
  const isWhole = (): boolean => request.complete && (framing.kind === 'chunked' || left === 0);
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) outgoing.destroy(new Error('the body of the request is longer than announced'));
  });
  request.once('close', () => {
    if (!isWhole()) outgoing.destroy();
  });
  request.once('end', () => {
    if (isWhole()) outgoing.end();
    else outgoing.destroy(new Error('the body of the request is shorter than announced'));
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
    refused(withAnswerHeaders(response, forwarding), new Error('the answer is none that can be handed on'));
    return;
  }
  if (intercept?.(incoming, response) === true) {
    incoming.destroy();
    return;
  }
  response.writeHead(statusCode, messageOf(incoming), {
    ...(answeredHeaders(rawHeaders) as OutgoingHttpHeaders),
    // Node writes the rest in chunks, or until the end of the connection to a client that knows none.
    ...(framing.kind === 'length' && statusCode !== 204 ? { 'content-length': String(framing.length) } : {}),
    ...answerHeaders,
  });
  // The beginning of a watch is news, though nothing has happened yet.
  response.flushHeaders();
  incoming.on('error', () => {}).pipe(response);
  response.once('close', () => incoming.destroy());
  incoming.once('close', () => {
    if (!incoming.readableEnded) breakOff(response, forwarding);
  });
}

/** The caller must not take what it has for the whole. */
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

/** For refusals of our own. */
function withAnswerHeaders(response: ServerResponse, { answerHeaders = {} }: Forwarding): ServerResponse {
  for (const [name, value] of Object.entries(answerHeaders)) response.setHeader(name, value);
  return response;
}

/** In characters that a header line can have: Node reads others as well, and throws when they are to be written. */
function messageOf({ statusCode = 0, statusMessage = '' }: IncomingMessage): string {
  return HEADER_TEXT.test(statusMessage) ? statusMessage : (STATUS_CODES[statusCode] ?? '');
}

/** Until both have ended, or one is gone before it has. */
function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on('error', () => from.destroy());
    // What has ended in order may be gone long before the last of it has been read at the other end.
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
