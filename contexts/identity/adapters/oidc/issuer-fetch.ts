import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { getCACertificates } from 'node:tls';

export interface FetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export type IssuerFetch = (url: string, options: FetchOptions) => Promise<Response>;

/** An issuer that takes longer is as good as gone, and people wait for it. */
const ANSWER_MS = 5_000;
/** Far beyond any key set. */
const ANSWER_BYTES = 1024 * 1024;

/**
 * One request, one answer; redirects are answers.
 *
 * DECISION: not `fetch`, which takes no authority of our own without the package that it is built on.
 */
export function issuerFetch(ca: string | undefined): IssuerFetch {
  const authorities = ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] };
  return async (address, { method, headers, body, signal }) => {
    const url = new URL(address);
    const late = AbortSignal.timeout(ANSWER_MS);
    const options = { method, headers: { ...headers }, agent: false as const };
    const bounded = { ...options, signal: signal === undefined ? late : AbortSignal.any([signal, late]) };
    const request =
      url.protocol === 'https:' ? requestHttps(url, { ...bounded, ...authorities }) : requestHttp(url, bounded);
    request.end(textOf(body));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return new Response(await read(response), {
      status: response.statusCode ?? 500,
      headers: { 'content-type': response.headers['content-type'] ?? '' },
    });
  };
}

function textOf(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('a body is a text or a form');
}

async function read(response: IncomingMessage): Promise<string | null> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (text.length > ANSWER_BYTES) throw new Error(`the answer is longer than ${ANSWER_BYTES} bytes`);
  }
  const isBodiless = response.statusCode === 204 || response.statusCode === 304;
  return isBodiless ? null : text;
}
