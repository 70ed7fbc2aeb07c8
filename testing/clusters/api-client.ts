import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { createInterface } from 'node:readline';
import { PATIENCE_MS } from '../patience.ts';

/** The fields of an object that these tools read. */
export interface ApiObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
}

export interface ApiServer {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}

/** The server's answer, when it was not a success. */
export class ApiAnswerError extends Error {
  readonly status: number;

  constructor(what: string, status: number, text: string) {
    super(`${what}: the server answered ${status} ${text.slice(0, 500)}`);
    this.status = status;
  }
}

/**
 * The part of the API that the cluster tools need, and no more: they test the product's client and must not depend on it.
 * It never keeps its process alive.
 */
export class ApiClient {
  readonly #target: ApiServer;
  readonly #agent: Agent;

  constructor(target: ApiServer) {
    this.#target = target;
    this.#agent = new Agent({ ca: target.ca, keepAlive: true });
  }

  /** Undefined where the object does not exist. */
  async find<T>(path: string, signal: AbortSignal): Promise<T | undefined> {
    return await this.send<T>('GET', path, undefined, signal).catch(unlessMissing);
  }

  /** Succeeds if the object does not exist. */
  async delete(path: string, signal: AbortSignal): Promise<void> {
    await this.send('DELETE', path, undefined, signal).catch(unlessMissing);
  }

  // One parameter more than three, because every request needs all of these.
  async send<T>(method: string, path: string, body: unknown, signal: AbortSignal): Promise<T> {
    const answer = await this.#open({
      method,
      path,
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    });
    return JSON.parse(await textOf(answer)) as T;
  }

  /** Whether a GET of this path succeeds. */
  async answers(path: string, signal: AbortSignal): Promise<boolean> {
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      await textOf(await this.#open({ method: 'GET', path, body: undefined, signal: limit }));
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }

  /** Yields events until the server ends the watch or the signal aborts. */
  async *watch<T>(path: string, signal: AbortSignal): AsyncGenerator<{ type: string; object: T }> {
    const answer = await this.#open({ method: 'GET', path, body: undefined, signal });
    for await (const line of createInterface({ input: answer })) {
      yield JSON.parse(line) as { type: string; object: T };
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #open({ method, path, body, signal }: Call): Promise<IncomingMessage> {
    const { server, token } = this.#target;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const options: RequestOptions = {
      method,
      agent: this.#agent,
      signal,
      headers: {
        authorization: `Bearer ${token}`,
        // Sets the length too; otherwise Node sends no body with a DELETE.
        ...(text !== undefined && {
          'content-type': CONTENT_TYPES[method] ?? 'application/json',
          'content-length': Buffer.byteLength(text),
        }),
      },
    };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(new URL(path, server), options, resolve).on('error', reject).end(text);
    });
    const { statusCode = 0 } = answer;
    if (statusCode >= 300) throw new ApiAnswerError(`${method} ${path}`, statusCode, await textOf(answer));
    return answer;
  }
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = { PATCH: 'application/merge-patch+json' };

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof ApiAnswerError && error.status === 404)) throw error;
}

async function textOf(answer: IncomingMessage): Promise<string> {
  return Buffer.concat(await answer.toArray()).toString();
}
