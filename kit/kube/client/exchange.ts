import type { Clock, Random, Sleep } from '#kit/std';
import type { Credentials, Identity } from '../config/credentials.ts';
import type { Impersonation } from '../config/kube-config.ts';
import { KubeError } from '../kube-error.ts';
import type { Query } from './api-paths.ts';
import { withQuery } from './api-paths.ts';
import type { Connections } from './connections.ts';
import { Deadline } from './deadline.ts';
import { readBody } from './read-body.ts';
import type { Priority, RequestGate } from './request-gate.ts';
import { impersonationHeaders } from './request-headers.ts';
import { retryAfterMs } from './retry-after.ts';
import { statusError } from './status-error.ts';
import type { TransportResponse } from './transport.ts';

export interface ApiRequest {
  /** For messages: `get configmaps/settings in team-a`. */
  readonly doing: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly priority: Priority;
  /** Do not retry when the server asks to; the caller decides. */
  readonly once?: boolean;
}

/** One response, or the lack of one, for `rest_client_requests_total` and the like. */
export interface RequestReport {
  readonly method: string;
  readonly host: string;
  /** `<error>` if there was no response, like client-go. */
  readonly code: string;
  readonly seconds: number;
}

export interface ExchangeOptions {
  readonly server: URL;
  readonly connections: Connections;
  readonly credentials: Credentials;
  readonly gate: RequestGate;
  readonly impersonate: Impersonation | undefined;
  readonly userAgent: string;
  readonly compression: boolean;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly observe: ((report: RequestReport) => void) | undefined;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
}

type Use<T> = (response: TransportResponse, deadline: Deadline) => Promise<T>;

export interface Streamed {
  readonly response: TransportResponse;
  readonly deadline: Deadline;
  /** Translates an error that occurred while reading the response. */
  readonly failure: (error: unknown) => unknown;
}

const MOST_ATTEMPTS = 10;
const LEAST_SPREAD_MS = 100;

/** Executes a request: waits for its turn, presents credentials, and retries when the server asks to. */
export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #root: string;
  readonly #headers: Readonly<Record<string, string | string[]>>;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#root = options.server.pathname.replace(/\/+$/, '');
    this.#headers = { 'user-agent': options.userAgent, ...impersonationHeaders(options.impersonate) };
  }

  /** Returns the response as JSON. The whole exchange, without waits, has `timeoutMs`. */
  json<T>(request: ApiRequest, signal: AbortSignal): Promise<T> {
    return this.#attempts(request, signal, async (response, deadline) => {
      const text = await readBody(response, this.#options.maxResponseBytes);
      deadline.end();
      return parseAnswer(text) as T;
    });
  }

  /**
   * Returns the response as a stream. Its beginning has `timeoutMs`, all of it `streamMs`; the caller must call
   * `deadline.end`.
   */
  stream(request: ApiRequest, streamMs: number | undefined, signal: AbortSignal): Promise<Streamed> {
    return this.#attempts(request, signal, async (response, deadline) => {
      deadline.extend(streamMs);
      return { response, deadline, failure: (error) => this.#translate(error, request, deadline) };
    });
  }

  async #attempts<T>(request: ApiRequest, signal: AbortSignal, use: Use<T>): Promise<T> {
    let newIdentity = false;
    for (let attempt = 1; ; attempt += 1) {
      await this.#options.gate.enter(request.priority, signal);
      let refusal: Refusal;
      try {
        const outcome = await this.#attempt(request, signal, use);
        if (outcome.kind === 'answer') return outcome.value;
        refusal = outcome;
      } finally {
        this.#options.gate.leave();
      }
      const wait = await this.#waitAfter(refusal, { request, attempt, newIdentity }, signal);
      if (wait === undefined) throw refusal.error;
      newIdentity ||= refusal.httpStatus === 401;
      if (wait > 0) await this.#sleep(wait, signal);
    }
  }

  async #attempt<T>(request: ApiRequest, signal: AbortSignal, use: Use<T>): Promise<Outcome<T>> {
    const deadline = new Deadline(this.#options.timeoutMs, signal);
    const started = this.#options.clock.now();
    let code = '<error>';
    try {
      const identity = await this.#options.credentials.current(deadline.signal);
      const response = await this.#send(request, identity, deadline.signal);
      code = String(response.status);
      if (response.status < 400) return { kind: 'answer', value: await use(response, deadline) };
      const refusal = await this.#refusal(response, request, identity);
      deadline.end();
      return refusal;
    } catch (error) {
      deadline.end();
      signal.throwIfAborted();
      throw this.#translate(error, request, deadline);
    } finally {
      const seconds = Math.max(0, this.#options.clock.now() - started) / 1000;
      this.#options.observe?.({ method: request.method, host: this.#options.server.host, code, seconds });
    }
  }

  #send(request: ApiRequest, identity: Identity, signal: AbortSignal): Promise<TransportResponse> {
    const { method, path, query = {}, body, accept = 'application/json', contentType = 'application/json' } = request;
    const streaming = query['watch'] === true;
    const headers: Record<string, string | string[]> = { ...this.#headers, accept };
    if (this.#options.compression && !streaming) headers['accept-encoding'] = 'gzip';
    if (identity.token) headers['authorization'] = `Bearer ${identity.token.reveal()}`;
    const target = withQuery(this.#root + path, query);
    const transport = this.#options.connections.under(identity);
    if (body === undefined) return transport.send({ method, path: target, headers, streaming }, signal);
    headers['content-type'] = contentType;
    return transport.send({ method, path: target, headers, body: JSON.stringify(body), streaming }, signal);
  }

  async #refusal(response: TransportResponse, { doing }: ApiRequest, identity: Identity): Promise<Refusal> {
    const text = await readBody(response, this.#options.maxResponseBytes);
    const error = statusError({ doing, httpStatus: response.status, body: maybeJson(text) });
    const retryAfter = retryAfterMs(response.headers['retry-after'], this.#options.clock.now());
    return { kind: 'refusal', httpStatus: response.status, identity, retryAfter, error };
  }

  /** The delay before the next attempt, or undefined if there is none. */
  async #waitAfter(refusal: Refusal, tried: Tried, signal: AbortSignal): Promise<number | undefined> {
    const { httpStatus, identity, retryAfter } = refusal;
    if (httpStatus === 401 && !tried.newIdentity) {
      // A request with an expired token had no effect: it is retried if there is a new token.
      this.#options.credentials.refused(identity);
      return (await this.#options.credentials.current(signal)) === identity ? undefined : 0;
    }
    if (tried.request.once || retryAfter === undefined || tried.attempt >= MOST_ATTEMPTS) return undefined;
    if (httpStatus !== 429 && httpStatus !== 503) return undefined;
    // Randomized: clients that were refused at the same moment must not come back at the same moment.
    return retryAfter + this.#options.random() * Math.max(retryAfter, LEAST_SPREAD_MS);
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    const { sleep, connections } = this.#options;
    await sleep(ms, AbortSignal.any([signal, connections.closing])).catch(() => signal.throwIfAborted());
  }

  #translate(error: unknown, { doing, method }: ApiRequest, deadline: Deadline): unknown {
    if (this.#options.connections.closing.aborted) {
      return new KubeError('CLOSED', `${doing}: the client was closed`, { cause: error });
    }
    const isWrite = method !== 'GET';
    if (deadline.expired) {
      const code = isWrite ? 'OUTCOME_UNKNOWN' : 'TIMED_OUT';
      return new KubeError(code, `${doing}: timeout after ${deadline.ms} ms`, { cause: error });
    }
    if (!(error instanceof KubeError)) return error;
    const code = error.code === 'CONNECTION_LOST' && isWrite ? 'OUTCOME_UNKNOWN' : error.code;
    return new KubeError(code, `${doing}: ${error.message}`, { cause: error, details: error.details });
  }
}

type Outcome<T> = { readonly kind: 'answer'; readonly value: T } | Refusal;

interface Refusal {
  readonly kind: 'refusal';
  readonly httpStatus: number;
  readonly identity: Identity;
  readonly retryAfter: number | undefined;
  readonly error: KubeError;
}

interface Tried {
  readonly request: ApiRequest;
  readonly attempt: number;
  readonly newIdentity: boolean;
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser quotes the text, which may be a secret.
    throw new KubeError('RESPONSE_INVALID', 'the response is not JSON');
  }
}

function maybeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
