import {
  type Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { type Duplex, pipeline } from 'node:stream';
import { answeredHeaders, type Headers } from '../domain/header-policy.ts';
import { responseOn } from './send-status.ts';

/** The next one on the way. */
export interface NextHop {
  readonly agent: Agent;
  /** Which connections of the agent; whoever makes them knows what it means. */
  readonly host: string;
  readonly path: string;
  readonly headers: Headers;
}

export interface Forwarding {
  readonly next: NextHop;
  /** What every answer carries besides its own. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** Instead of an answer, which may still be given. */
  readonly refused: (response: ServerResponse, error: Error) => void;
  /** Asked about each answer before it is passed on; `true` if that has answered instead. */
  readonly intercept?: (incoming: IncomingMessage, response: ServerResponse) => boolean;
}

const MAX_ANSWER_HEADERS = 256 * 1024;

/**
 * One request and its answer, as they come: nothing is kept, whoever is slow slows the other, and whoever goes takes the other
 * along. Trailers end here.
 */
export function forwardRequest(request: IncomingMessage, response: ServerResponse, forwarding: Forwarding): void {
  const outgoing = ask(request, forwarding.next, forwarding.next.headers);
  response.once('close', () => {
    if (!response.writableFinished) outgoing.destroy();
  });
  outgoing.once('response', (incoming) => passOn(incoming, response, forwarding));
  outgoing.once('error', (error) => {
    if (response.headersSent) response.destroy();
    else if (!response.destroyed) forwarding.refused(response, error);
  });
  request.pipe(outgoing);
}

export interface Upgraded {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What came right behind the request. */
  readonly head: Buffer;
}

/** The same for a connection that is to become something else. Where the server does not want that, its answer is the last word. */
export function forwardUpgrade({ request, socket, head }: Upgraded, forwarding: Forwarding): void {
  const { upgrade } = request.headers;
  // Node would chunk a body that has no length, and there is none.
  const length = request.method === 'GET' ? {} : { 'content-length': '0' };
  const outgoing = ask(request, forwarding.next, {
    ...forwarding.next.headers,
    ...length,
    connection: 'Upgrade',
    upgrade: upgrade ?? '',
  });
  const gone = (): void => void outgoing.destroy();
  socket.once('close', gone);
  socket.on('error', () => socket.destroy());
  outgoing.once('upgrade', (answer, upstream, rest) => {
    // From here on each end lasts until the other has heard all of it.
    socket.off('close', gone);
    socket.write(headOf(answer, forwarding.answerHeaders));
    if (rest.length > 0) socket.write(rest);
    if (head.length > 0) upstream.write(head);
    join(socket, upstream);
  });
  outgoing.once('response', (incoming) => passOn(incoming, responseOn(request, socket), forwarding));
  outgoing.once('error', (error) => {
    if (!socket.destroyed) forwarding.refused(responseOn(request, socket), error);
  });
  outgoing.end();
}

function ask({ method }: IncomingMessage, { agent, host, path }: NextHop, headers: Headers): ClientRequest {
  const sent = headers as OutgoingHttpHeaders;
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

function passOn(incoming: IncomingMessage, response: ServerResponse, { answerHeaders, intercept }: Forwarding): void {
  if (response.destroyed) {
    incoming.destroy();
    return;
  }
  if (intercept?.(incoming, response) === true) {
    incoming.resume();
    return;
  }
  const { statusCode = 502, statusMessage = '', rawHeaders } = incoming;
  response.writeHead(statusCode, statusMessage, {
    ...(answeredHeaders(rawHeaders) as OutgoingHttpHeaders),
    ...answerHeaders,
  });
  // The beginning of a watch is news, though nothing has happened yet.
  response.flushHeaders();
  pipeline(incoming, response, () => {});
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

function headOf({ statusCode = 101, statusMessage, rawHeaders, headers }: IncomingMessage, more = {}): string {
  const passed = Object.entries({
    ...answeredHeaders(rawHeaders),
    ...more,
    connection: 'Upgrade',
    upgrade: headers.upgrade ?? '',
  });
  const lines = passed.flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}\r\n`));
  return `HTTP/1.1 ${statusCode} ${statusMessage ?? STATUS_CODES[statusCode] ?? ''}\r\n${lines.join('')}\r\n`;
}
