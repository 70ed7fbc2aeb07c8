import type { IncomingHttpHeaders } from 'node:http';

const REQUEST_ID = /^[\w.:-]{1,64}$/;

/** What the caller calls the request, where it could be a name; only ever kept beside the id that we give it. */
export function clientRequestIdOf(headers: IncomingHttpHeaders): { readonly clientRequestId?: string } {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? { clientRequestId: given } : {};
}
