import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { ClientError } from './client-error.ts';
import type { Connection } from './open-connection.ts';
import { parseJson } from './parse-json.ts';
import { problemError } from './problem-error.ts';
import { type Received, type Sent, sendRequest } from './send-request.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Call {
  /** `['workflows', id, 'history']`: the parts behind `/v1`, as they are. */
  readonly path: readonly string[];
  /** The verb behind the path: `cancel`. */
  readonly verb?: string;
  readonly query?: Query;
  readonly body?: object;
}

/** The REST API of one platform. A refusal is a `ClientError` with the platform's own sentence. */
export class ApiClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async get<S extends TSchema>(schema: S, call: Call, signal: AbortSignal): Promise<Static<S>> {
    return this.#read(schema, await this.#send('GET', call, signal));
  }

  async post<S extends TSchema>(schema: S, call: Call, signal: AbortSignal): Promise<Static<S>> {
    return this.#read(schema, await this.#send('POST', call, signal));
  }

  async #send(method: Sent['method'], call: Call, signal: AbortSignal): Promise<Received> {
    const { server, token, authority } = this.#connection;
    const headers = { accept: 'application/json', authorization: `Bearer ${token.reveal()}` };
    const url = urlOf(server, call);
    if (call.body === undefined) return await sendRequest({ url, method, headers, body: undefined, authority }, signal);
    const body = JSON.stringify(call.body);
    const json = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
    return await sendRequest({ url, method, headers: { ...headers, ...json }, body, authority }, signal);
  }

  #read<S extends TSchema>(schema: S, received: Received): Static<S> {
    const problem = problemError(received);
    if (problem !== undefined) throw problem;
    const { status, contentType, text } = received;
    if (status >= 200 && status < 300 && contentType.startsWith('application/json')) {
      const body = parseJson(text);
      if (Value.Check(schema, body)) return body;
    }
    const { origin } = this.#connection.server;
    const message = `${origin} answered ${status} with something that this version does not understand; is it a platform of the same version?`;
    throw new ClientError('ANSWER_NOT_UNDERSTOOD', message);
  }
}

/** A platform may stand behind a path of its own. */
function urlOf(server: URL, { path, verb, query = {} }: Call): URL {
  const base = server.pathname.replace(/\/+$/, '');
  const url = new URL(server);
  url.pathname = `${base}/v1/${path.map(encodeURIComponent).join('/')}${verb === undefined ? '' : `:${verb}`}`;
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}
