import type { HttpServer } from '#kit/http';
import type { Secret } from '#kit/std';

export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: unknown;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The REST API as a client uses it: with all its rules, and audited. */
export type PlatformApi = (call: ApiCall, signal: AbortSignal) => Promise<ApiAnswer>;

/** Without a token, for a server that treats every local caller as the administrator. */
export function administratorApi(
  server: () => Pick<HttpServer, 'inject'>,
  administrator: { readonly token: Secret<string> } | undefined,
): PlatformApi {
  return async ({ method, path, body }, signal) => {
    signal.throwIfAborted();
    const headers = {
      ...(administrator === undefined ? {} : { authorization: `Bearer ${administrator.token.reveal()}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
    const answer = await server().inject({ method, url: path, headers, ...payload });
    return { status: answer.statusCode, body: answer.body === '' ? undefined : (JSON.parse(answer.body) as unknown) };
  };
}
