import type { KubeList, KubeObject, Resource } from './kube-object.ts';
import type { Priority } from './request-gate.ts';

/** One object, or the place where it would be. */
export interface ObjectRef {
  readonly resource: Resource;
  readonly namespace?: string;
  readonly name: string;
}

/** A collection: every namespace when none is named. */
export interface CollectionRef {
  readonly resource: Resource;
  readonly namespace?: string;
}

export interface ListOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** `'0'` takes what the server has in its cache. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  readonly limit?: number;
  readonly continue?: string;
}

export interface WatchOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Where to begin: what came after this version. */
  readonly resourceVersion: string;
  /** The server ends the watch after about this long, and the caller resumes. */
  readonly timeoutSeconds?: number;
}

/** A bookmark says how far the watch has come; its object has nothing but a version. A stale start is a `KubeError` `EXPIRED`. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

export interface WriteOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  /** Unknown and duplicate fields: refused unless told otherwise. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Take fields that others manage. */
  readonly force?: boolean;
}

export type Patch =
  | { readonly type: 'merge' | 'strategic'; readonly patch: object }
  | { readonly type: 'json'; readonly patch: readonly object[] };

export interface DeleteOptions {
  readonly dryRun?: boolean;
  readonly propagation?: 'Foreground' | 'Background' | 'Orphan';
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly gracePeriodSeconds?: number;
}

export type Subresource = 'status' | 'scale' | (string & {});

/**
 * One API server, as one identity. Every method throws a `KubeError` whose code says the server's reason (`NOT_FOUND`,
 * `CONFLICT`, `EXPIRED`...); nothing is retried but what the server asked to be retried (429 and 503 with `Retry-After`) and
 * requests that certainly never reached it.
 */
export interface KubeClient {
  readonly discovery: Discovery;
  get<T extends KubeObject>(ref: ObjectRef, signal: AbortSignal): Promise<T>;
  getSubresource<T extends KubeObject>(ref: ObjectRef, subresource: Subresource, signal: AbortSignal): Promise<T>;
  /** One page; `listAll` of the facade goes through all of them in chunks. */
  list<T extends KubeObject>(ref: CollectionRef, options: ListOptions, signal: AbortSignal): Promise<KubeList<T>>;
  /** Events until the server ends the watch, which is no error: the caller resumes from the last version it saw. */
  watch<T extends KubeObject>(
    ref: CollectionRef,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<T>>;
  create<T extends KubeObject>(ref: CollectionRef, object: T, options: WriteOptions, signal: AbortSignal): Promise<T>;
  /** A PUT: conflicts unless the object carries the present `resourceVersion`. */
  replace<T extends KubeObject>(
    ref: ObjectRef,
    object: T,
    options: WriteOptions & { readonly subresource?: Subresource },
    signal: AbortSignal,
  ): Promise<T>;
  patch<T extends KubeObject>(
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions & { readonly subresource?: Subresource },
    signal: AbortSignal,
  ): Promise<T>;
  /** Server-side apply. */
  apply<T extends KubeObject>(
    ref: ObjectRef,
    object: object,
    options: ApplyOptions & { readonly subresource?: Subresource },
    signal: AbortSignal,
  ): Promise<T>;
  /** The object as it is after the request (with finalizers it is still there), or undefined when it is gone. */
  delete<T extends KubeObject>(ref: ObjectRef, options: DeleteOptions, signal: AbortSignal): Promise<T | undefined>;
  deleteCollection(ref: CollectionRef, options: DeleteOptions & ListOptions, signal: AbortSignal): Promise<void>;
  /** POST to `pods/{name}/eviction`. 429 (a disruption budget) is `TOO_MANY_REQUESTS`, not waited for. */
  evict(ref: ObjectRef, options: DeleteOptions, signal: AbortSignal): Promise<void>;
  /** Anything else, such as a subresource of POST kind or `/version`: JSON in, JSON out. */
  request<T>(request: RawRequest, signal: AbortSignal): Promise<T>;
  /** The same client, whose requests go before or after those of others where they have to wait. */
  withPriority(priority: Priority): KubeClient;
  /** Cuts whatever is under way, which then rejects with `CLOSED`. */
  close(): Promise<void>;
}

export interface RawRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** `application/json` unless told. */
  readonly contentType?: string;
}

export interface Discovery {
  /** Looked up in a cache that is refreshed on a miss. `KubeError` `KIND_NOT_SERVED` when the server does not know it. */
  resourceFor(apiVersion: string, kind: string, signal: AbortSignal): Promise<Resource>;
  resources(signal: AbortSignal): Promise<readonly Resource[]>;
  /** The OpenAPI v3 document of one group and version. */
  openapi(apiVersion: string, signal: AbortSignal): Promise<object>;
  forget(): void;
}
