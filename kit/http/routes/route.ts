import type { TObject, TSchema } from 'typebox';
import type { Principal, Reach } from '../ports.ts';
import type { Answer, Responses } from './answer.ts';
import type { RouteRequest } from './route-request.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `public` is a decision too, and it is written down like every other one. */
export type Permission = 'public' | `${string}.${string}`;

export interface RouteSchema {
  /** Exactly the names in braces of the path. */
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** By status; `NoContent` for a 204. */
  readonly responses: Responses;
}

/** What every route says of itself. */
export interface RouteInfo {
  readonly method: Method;
  /** As OpenAPI writes it: `/v1/things/{name}:pause`. */
  readonly path: string;
  /** lowerCamelCase and unique: it names the operation in the API's description, metrics, traces and logs. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** The successful answers have an `etag` field: it also becomes the `ETag` header, and a GET honours `If-None-Match`. */
  readonly etag?: true;
  /** The operation honours `If-Match`; `required` refuses to go without. The handler calls `request.ifMatch.check`. */
  readonly ifMatch?: 'optional' | 'required';
  /** A create that honours `Idempotency-Key`; `secret` when its answer may be shown only once. It runs in `mutate`. */
  readonly idempotency?: 'replay' | 'secret';
  /** What the permission is asked for; `path` unless told otherwise. */
  readonly reach?: Reach;
  /** The largest body, where that is public and a few KiB are not enough. */
  readonly bodyBytes?: number;
  /** A POST that only looks: it is not audited. */
  readonly readOnly?: true;
}

export type AnyRequest = RouteRequest<unknown, unknown, unknown, Principal | undefined>;

/** What goes on writing until somebody ends it. Opened first, so that a refusal is still an ordinary answer. */
export interface ByteStream {
  readonly contentType: string;
  /** Ends when there is nothing more to say or the signal aborts. `write` waits for a client that reads slowly. */
  run(write: (chunk: string) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** What tells its client why it is ended, behind whatever was written last. */
  lastWords?(message: string): string;
}

/** A route that can be registered. Only `defineRoute` and the functions built on it make one. */
export interface Route extends RouteInfo {
  readonly permission: Permission;
  readonly schema: RouteSchema;
  /** Of its successful answers, where that is not JSON. */
  readonly produces?: string;
  /** Always answered, however many requests there are: what an orchestrator asks to see whether we live. */
  readonly unlimited?: true;
  readonly respond:
    | { readonly kind: 'answer'; handle(request: AnyRequest): Promise<Answer> }
    | { readonly kind: 'stream'; open(request: AnyRequest): Promise<ByteStream> };
}
