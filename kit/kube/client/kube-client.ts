import type { KubeList, KubeObject, Resource } from './kube-object.ts';
import type { Priority } from './request-gate.ts';

/** One object, whether or not it exists. */
export interface ObjectRef {
  readonly resource: Resource;
  readonly namespace?: string;
  readonly name: string;
}

/** A collection, in all namespaces by default. */
export interface CollectionRef {
  readonly resource: Resource;
  readonly namespace?: string;
}

export interface ListOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** `'0'` reads from the server's cache. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  readonly limit?: number;
  readonly continue?: string;
}

export interface WatchOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Start with the events after this version. */
  readonly resourceVersion: string;
  /** The server ends the watch after about this time, and the caller resumes. */
  readonly timeoutSeconds?: number;
}

/**
 * A bookmark reports the progress of the watch; its object has only a version. A start version that is too old is a
 * `KubeError` `EXPIRED`.
 */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

export interface WriteOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  /** Unknown and duplicate fields are refused by default. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Take over fields that other managers own. */
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
 * One API server, accessed as one identity. Every method throws a `KubeError` whose code is the server's reason
 * (`NOT_FOUND`, `CONFLICT`, `EXPIRED`...). Requests are retried only if the server asks to (429 and 503 with
 * `Retry-After`), or if they certainly never reached it.
 */
export interface KubeClient {
  readonly discovery: Discovery;
  get<T extends KubeObject>(ref: ObjectRef, signal: AbortSignal): Promise<T>;
  getSubresource<T extends KubeObject>(ref: ObjectRef, subresource: Subresource, signal: AbortSignal): Promise<T>;
  /** One page; `listAll` fetches all of them in chunks. */
  list<T extends KubeObject>(ref: CollectionRef, options: ListOptions, signal: AbortSignal): Promise<KubeList<T>>;
  /** Events until the server ends the watch, which is not an error: the caller resumes from the last version it saw. */
  watch<T extends KubeObject>(
    ref: CollectionRef,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<T>>;
  create<T extends KubeObject>(ref: CollectionRef, object: T, options: WriteOptions, signal: AbortSignal): Promise<T>;
  /** A PUT: conflicts unless the object has the current `resourceVersion`. */
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
  /** The object after the request (with finalizers it still exists), or undefined if it is gone. */
  delete<T extends KubeObject>(ref: ObjectRef, options: DeleteOptions, signal: AbortSignal): Promise<T | undefined>;
  deleteCollection(ref: CollectionRef, options: DeleteOptions & ListOptions, signal: AbortSignal): Promise<void>;
  /** POST to `pods/{name}/eviction`. 429 (a disruption budget) is `TOO_MANY_REQUESTS` and is not retried. */
  evict(ref: ObjectRef, options: DeleteOptions, signal: AbortSignal): Promise<void>;
  /** Any other request, such as a POST to a subresource or `/version`: JSON in, JSON out. */
  request<T>(request: RawRequest, signal: AbortSignal): Promise<T>;
  /** The same client with another priority for requests that have to wait. */
  withPriority(priority: Priority): KubeClient;
  /** Cuts all requests in flight, which reject with `CLOSED`. */
  close(): Promise<void>;
}

export interface RawRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Default: `application/json`. */
  readonly contentType?: string;
}

export interface Discovery {
  /**
   * Looks in a cache that is refreshed on a miss. Throws `KubeError` `KIND_NOT_SERVED` if the server does not know the
   * kind.
   */
  resourceFor(apiVersion: string, kind: string, signal: AbortSignal): Promise<Resource>;
  resources(signal: AbortSignal): Promise<readonly Resource[]>;
  /** The OpenAPI v3 document of one group and version. */
  openapi(apiVersion: string, signal: AbortSignal): Promise<object>;
  forget(): void;
}
