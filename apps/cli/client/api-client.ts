import type { Static, TSchema } from 'typebox';
import { ClientError } from './client-error.ts';
import { isValid, type LazySchema } from './lazy-schema.ts';
import type { Connect, Connection } from './open-connection.ts';
import { parseJson } from './parse-json.ts';
import { problemError } from './problem-error.ts';
import { openStream, type Received, type Sent, sendRequest } from './send-request.ts';
import { readFrames, type ServerEvent } from './server-events.ts';

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface Call {
  /** `['workflows', id, 'history']`: the unescaped path segments after `/v1`. */
  readonly path: readonly string[];
  /** The verb after the path: `cancel`. */
  readonly verb?: string;
  readonly query?: Query;
  readonly body?: object;
  /** The etag that the resource must still have. */
  readonly ifMatch?: string;
}

export interface EventCall {
  readonly types: readonly string[];
  /** Resume after this event id; without it, start with new events. */
  readonly lastEventId?: string | undefined;
  /** Without a last event id: start with all events that are still stored. */
  readonly fromBeginning?: boolean;
  /** Only events that match this CEL expression. */
  readonly filter?: string | undefined;
}

/** The REST API of one platform. An error response becomes a `ClientError` with the platform's message. */
export class ApiClient {
  readonly #connect: Connect;

  constructor(connection: Connection | Connect) {
    this.#connect = typeof connection === 'function' ? connection : async () => connection;
  }

  /** The origin of the platform. */
  async origin(signal: AbortSignal): Promise<string> {
    return (await this.#connect(signal)).server.origin;
  }

  async get<S extends TSchema>(schema: LazySchema<S>, call: Call, signal: AbortSignal): Promise<Static<S>> {
    return await read(schema, await this.#send('GET', call, signal));
  }

  async post<S extends TSchema>(schema: LazySchema<S>, call: Call, signal: AbortSignal): Promise<Static<S>> {
    return await read(schema, await this.#send('POST', call, signal));
  }

  async patch<S extends TSchema>(schema: LazySchema<S>, call: Call, signal: AbortSignal): Promise<Static<S>> {
    return await read(schema, await this.#send('PATCH', call, signal));
  }

  async put<S extends TSchema>(schema: LazySchema<S>, call: Call, signal: AbortSignal): Promise<Static<S>> {
    return await read(schema, await this.#send('PUT', call, signal));
  }

  /** `going`: deletion is in progress, and the resource can be read until it completes. */
  async delete(call: Call, signal: AbortSignal): Promise<'gone' | 'going'> {
    const answer = await this.#send('DELETE', call, signal);
    refuse(answer);
    if (answer.received.status === 202) return 'going';
    if (answer.received.status !== 204) throw notUnderstood(answer);
    return 'gone';
  }

  /** Streams events until the platform closes the stream, which it does from time to time. */
  async *events(call: EventCall, signal: AbortSignal): AsyncGenerator<ServerEvent> {
    const { types, lastEventId, fromBeginning = false, filter } = call;
    const { server, token, authority } = await this.#connect(signal);
    const headers = {
      accept: 'text/event-stream, application/problem+json',
      ...authorization(token),
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    };
    const from = fromBeginning && lastEventId === undefined ? 'beginning' : undefined;
    const url = urlOf(server, { path: ['events'], query: { types, from, filter } });
    const opened = await openStream({ url, method: 'GET', headers, body: undefined, authority }, signal);
    if ('chunks' in opened) {
      yield* readFrames(opened.chunks);
      return;
    }
    refuse({ origin: server.origin, received: opened });
    throw notUnderstood({ origin: server.origin, received: opened });
  }

  async #send(method: Sent['method'], call: Call, signal: AbortSignal): Promise<Answer> {
    const { server, token, authority } = await this.#connect(signal);
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const headers = {
      accept: 'application/json',
      ...authorization(token),
      ...(call.ifMatch === undefined ? {} : { 'if-match': `"${call.ifMatch}"` }),
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    };
    const received = await sendRequest({ url: urlOf(server, call), method, headers, body, authority }, signal);
    return { origin: server.origin, received };
  }
}

interface Answer {
  readonly origin: string;
  readonly received: Received;
}

function authorization(token: Connection['token']): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` };
}

async function read<S extends TSchema>(schema: LazySchema<S>, answer: Answer): Promise<Static<S>> {
  refuse(answer);
  const { status, contentType, text } = answer.received;
  if (status >= 200 && status < 300 && contentType.startsWith('application/json')) {
    const body = parseJson(text);
    if (await isValid(schema, body)) return body as Static<S>;
  }
  throw notUnderstood(answer);
}

function refuse({ received }: Answer): void {
  const problem = problemError(received);
  if (problem === undefined) return;
  if (problem.code !== 'NOT_AUTHENTICATED') throw problem;
  throw new ClientError(problem.code, `${problem.message}\n  run: fleetshift login`, { cause: problem });
}

function notUnderstood({ origin, received }: Answer): ClientError {
  const message = `${origin} answered ${received.status} with an unknown format; does the platform have the same version as this command?`;
  return new ClientError('ANSWER_NOT_UNDERSTOOD', message);
}

/** The platform may be served below a path prefix. */
function urlOf(server: URL, { path, verb, query = {} }: Call): URL {
  const base = server.pathname.replace(/\/+$/, '');
  const url = new URL(server);
  url.pathname = `${base}/v1/${path.map(encodeURIComponent).join('/')}${verb === undefined ? '' : `:${verb}`}`;
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(each));
  }
  return url;
}
