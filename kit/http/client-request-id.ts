import type { IncomingHttpHeaders } from 'node:http';

const REQUEST_ID = /^[\w.:-]{1,64}$/;

/** The caller's own id for the request, if it has a valid form; recorded in addition to the id that the server assigns. */
export function clientRequestIdOf(headers: IncomingHttpHeaders): { readonly clientRequestId?: string } {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? { clientRequestId: given } : {};
}
