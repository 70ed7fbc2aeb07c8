import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { ClientError } from '../client/client-error.ts';
import { parseJson } from '../client/parse-json.ts';
import { problemError } from '../client/problem-error.ts';
import { sendRequest } from '../client/send-request.ts';
import type { PlatformAddress } from './platform-address.ts';

export interface Question<S extends TSchema> {
  readonly method: 'GET' | 'POST';
  /** `/v1/login` */
  readonly path: string;
  readonly body?: object;
  readonly token?: string;
  /** Omitted when the response has no body. */
  readonly schema?: S;
}

/** Sends one request to a platform, possibly without credentials. */
export async function askPlatform<S extends TSchema>(
  { server, authority }: PlatformAddress,
  { method, path, body, token, schema }: Question<S>,
  signal: AbortSignal,
): Promise<Static<S>> {
  const url = new URL(`${server.pathname.replace(/\/+$/, '')}${path}`, server);
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(text === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
  };
  const received = await sendRequest({ url, method, headers, body: text, authority }, signal);
  const problem = problemError(received);
  if (problem !== undefined) throw problem;
  const answer = received.text === '' ? undefined : parseJson(received.text);
  if (schema === undefined && received.status === 204) return undefined as Static<S>;
  if (received.status === 200 && schema !== undefined && Value.Check(schema, answer)) return answer;
  throw new ClientError(
    'ANSWER_NOT_UNDERSTOOD',
    `${server.origin} answered ${received.status} with an unknown format; does the platform have the same version as this command?`,
  );
}
