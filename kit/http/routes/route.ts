import type { TObject, TSchema } from 'typebox';
import type { Principal, Reach } from '../ports.ts';
import type { Answer, Responses } from './answer.ts';
import type { RouteRequest } from './route-request.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `public` is a decision too, and has to be declared like any other permission. */
export type Permission = 'public' | `${string}.${string}`;

export interface RouteSchema {
  /** Exactly the names in braces of the path. */
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** By status; `NoContent` for a 204. */
  readonly responses: Responses;
}

/** Properties of every route. */
export interface RouteInfo {
  readonly method: Method;
  /** In OpenAPI syntax: `/v1/things/{name}:pause`. */
  readonly path: string;
  /** lowerCamelCase and unique: the name of the operation in the API description, metrics, traces and logs. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** Successful responses have an `etag` field: it also becomes the `ETag` header, and a GET honours `If-None-Match`. */
  readonly etag?: true;
  /** The operation honours `If-Match`; with `required` it is mandatory. The handler calls `request.ifMatch.check`. */
  readonly ifMatch?: 'optional' | 'required';
  /** A create that honours `Idempotency-Key`; `secret` if its response may be shown only once. It runs in `mutate`. */
  readonly idempotency?: 'replay' | 'secret';
  /** The resource on which the permission is checked; `path` by default. */
  readonly reach?: Reach;
  /** Maximum size of the body, for public routes that need more than a few KiB. */
  readonly bodyBytes?: number;
  /** A POST that only reads: it is not audited. */
  readonly readOnly?: true;
}

export type AnyRequest = RouteRequest<unknown, unknown, unknown, Principal | undefined>;

/** A response that is written until it is ended. It is opened first, so that a refusal is still an ordinary response. */
export interface ByteStream {
  readonly contentType: string;
  /** Returns when there is nothing more to send or the signal aborts. `write` waits for a slow client. */
  run(write: (chunk: string) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** The final message that tells the client why the stream was ended. */
  lastWords?(message: string): string;
}

/** A route that can be registered. Only `defineRoute` and the functions built on it create one. */
export interface Route extends RouteInfo {
  readonly permission: Permission;
  readonly schema: RouteSchema;
  /** The media type of successful responses, if not JSON. */
  readonly produces?: string;
  /** Exempt from all request limits: health checks of an orchestrator. */
  readonly unlimited?: true;
  readonly respond:
    | { readonly kind: 'answer'; handle(request: AnyRequest): Promise<Answer> }
    | { readonly kind: 'stream'; open(request: AnyRequest): Promise<ByteStream> };
}
