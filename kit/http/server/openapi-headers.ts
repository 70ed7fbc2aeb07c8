import { type TSchema, Type } from 'typebox';
import type { Route } from '../routes/route.ts';

const AN_ETAG = '"7-9f2c4d5e6a7b"';
const A_KEY = { minLength: 1, maxLength: 255, pattern: '^[!-~]+$', examples: ['0198b6f2-5d0e-7c31-9a7e-1f2d3c4b5a69'] };

const IF_NONE_MATCH = header('Return 304 if the resource still has this etag.', AN_ETAG);
const IF_MATCH = header('Change the resource only if it still has this etag; otherwise 412.', AN_ETAG);
const IF_MATCH_ALWAYS = header('Change the resource only if it still has this etag, or * to skip the check.', AN_ETAG);
const LAST_EVENT_ID = header('Resume after this event.', '4711');
const IDEMPOTENCY_KEY = {
  replay: Type.String({
    ...A_KEY,
    description: 'Creates only once: repeating the same request returns the same response for 24 hours.',
  }),
  secret: Type.String({
    ...A_KEY,
    description: 'Creates only once. The response is shown once; repeating the request returns 409.',
  }),
};

const ETAG = { type: 'string', description: 'The `etag` of the response, in double quotes.' };
const LOCATION = { type: 'string', description: 'The path of the created resource.' };
const REPLAYED = { type: 'string', description: '`true` if this is the stored response of an earlier request.' };

/** The request headers that an operation honours. */
export function requestHeaders({ ifMatch, idempotency, etag, method, produces }: Route): Record<string, TSchema> {
  const headers: Record<string, TSchema> = {};
  if (etag && method === 'GET') headers['If-None-Match'] = Type.Optional(IF_NONE_MATCH);
  if (ifMatch === 'optional') headers['If-Match'] = Type.Optional(IF_MATCH);
  if (ifMatch === 'required') headers['If-Match'] = IF_MATCH_ALWAYS;
  if (idempotency) headers['Idempotency-Key'] = Type.Optional(IDEMPOTENCY_KEY[idempotency]);
  if (produces === 'text/event-stream') headers['Last-Event-ID'] = Type.Optional(LAST_EVENT_ID);
  return headers;
}

/** The headers of a successful response. */
export function responseHeaders({ etag, idempotency }: Route, status: string): Record<string, object> {
  return {
    ...(etag ? { ETag: ETAG } : {}),
    ...(status === '201' ? { Location: LOCATION } : {}),
    ...(idempotency === 'replay' ? { 'Idempotency-Replayed': REPLAYED } : {}),
  };
}

function header(description: string, example: string) {
  return Type.String({ description, examples: [example] });
}
