import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { getCACertificates } from 'node:tls';
import { FleetError } from '#kit/std';
import type { DialGuard } from '#kit/transport/dial';

export interface FetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Guards for the addresses dialled on behalf of issuers. */
export interface IssuerDial {
  /** For the address of an issuer, which the root's admins or the operator set. */
  readonly issuers: DialGuard;
  /** For addresses that a public issuer names in its metadata. */
  readonly named: DialGuard;
}

export type IssuerFetch = (url: string, options: FetchOptions) => Promise<Response>;

/** Users wait for the response, so a slower issuer counts as down. */
const ANSWER_MS = 5_000;
/** Far more than any key set needs. */
const ANSWER_BYTES = 1024 * 1024;

/**
 * One request, one response; redirects are not followed.
 *
 * DECISION: not `fetch`, which accepts no custom CA without the package that it is built on.
 */
export function issuerFetch(
  { url: issuerUrl, ca }: { readonly url: string; readonly ca?: string | undefined },
  dial?: IssuerDial,
): IssuerFetch {
  const authorities = ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] };
  return async (address, { method, headers, body, signal }) => {
    const url = new URL(address);
    const late = AbortSignal.timeout(ANSWER_MS);
    const until = signal === undefined ? late : AbortSignal.any([signal, late]);
    const lookup = dial && { lookup: await lookupOf(url, { issuer: new URL(issuerUrl), dial }, until) };
    const bounded = { method, headers: { ...headers }, agent: false as const, signal: until, ...lookup };
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

/**
 * The metadata of an issuer may name any address. DECISION: an issuer inside the operator's network may name addresses
 * there; one outside may not name addresses inside. (ADR-0046)
 */
async function lookupOf(
  url: URL,
  { issuer, dial }: { readonly issuer: URL; readonly dial: IssuerDial },
  signal: AbortSignal,
): Promise<LookupFunction> {
  const isItself = url.hostname === issuer.hostname;
  const guard = isItself || (await isInside(issuer, dial, signal)) ? dial.issuers : dial.named;
  return await guard.lookupFor(placeOf(url), signal);
}

async function isInside(issuer: URL, { named }: IssuerDial, signal: AbortSignal): Promise<boolean> {
  try {
    await named.lookupFor(placeOf(issuer), signal);
    return false;
  } catch (error) {
    if (error instanceof FleetError && error.code === 'ADDRESS_REFUSED') return true;
    throw error;
  }
}

function placeOf({ hostname, port, protocol }: URL): { readonly host: string; readonly port: number } {
  const usual = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? usual : Number(port) };
}

function textOf(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('the body must be a string or a form');
}

async function read(response: IncomingMessage): Promise<string | null> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (text.length > ANSWER_BYTES) throw new Error(`the response is longer than ${ANSWER_BYTES} bytes`);
  }
  const isBodiless = response.statusCode === 204 || response.statusCode === 304;
  return isBodiless ? null : text;
}
