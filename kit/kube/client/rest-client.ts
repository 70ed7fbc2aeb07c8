import {
  apiVersionOf,
  collectionPath,
  deleteBody,
  describeCollection,
  describeObject,
  listQuery,
  objectPath,
  watchQuery,
  writeQuery,
} from './api-paths.ts';
import { isStillThere } from './deleted-object.ts';
import type { ApiRequest, Exchange } from './exchange.ts';
import type {
  ApplyOptions,
  CollectionRef,
  DeleteOptions,
  Discovery,
  KubeClient,
  ListOptions,
  ObjectRef,
  Patch,
  RawRequest,
  Subresource,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './kube-client.ts';
import type { KubeList, KubeObject, Resource } from './kube-object.ts';
import type { Priority } from './request-gate.ts';
import { watchEvents } from './watch-events.ts';

export interface RestClientOptions {
  readonly exchange: Exchange;
  readonly discovery: Discovery;
  readonly priority: Priority;
  readonly maxFrameBytes: number;
  readonly close: () => Promise<void>;
}

type SubresourceWrite = WriteOptions & { readonly subresource?: Subresource };

const PATCH_TYPES: Readonly<Record<Patch['type'], string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
};
/** A watch that exceeds its requested lifetime by this is cut. */
const WATCH_GRACE_MS = 30_000;

/** The port over REST: each method builds a request, and the exchange sends it. */
export class RestClient implements KubeClient {
  readonly #options: RestClientOptions;

  constructor(options: RestClientOptions) {
    this.#options = options;
  }

  get discovery(): Discovery {
    return this.#options.discovery;
  }

  get<T extends KubeObject>(ref: ObjectRef, signal: AbortSignal): Promise<T> {
    return this.#json('get', ref, { method: 'GET', path: objectPath(ref) }, signal);
  }

  getSubresource<T extends KubeObject>(ref: ObjectRef, subresource: Subresource, signal: AbortSignal): Promise<T> {
    return this.#json(`get the ${subresource} of`, ref, { method: 'GET', path: objectPath(ref, subresource) }, signal);
  }

  async list<T extends KubeObject>(
    ref: CollectionRef,
    options: ListOptions,
    signal: AbortSignal,
  ): Promise<KubeList<T>> {
    const request = { method: 'GET', path: collectionPath(ref), query: listQuery(options) } as const;
    return withKinds(await this.#json<WireList<T>>('list', ref, request, signal), ref.resource);
  }

  watch<T extends KubeObject>(
    ref: CollectionRef,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<T>> {
    const { exchange, priority, maxFrameBytes } = this.#options;
    const doing = `watch ${describeCollection(ref)}`;
    const request = { doing, priority, method: 'GET', path: collectionPath(ref), query: watchQuery(options) } as const;
    const seconds = options.timeoutSeconds;
    const streamMs = seconds === undefined ? undefined : seconds * 1000 + WATCH_GRACE_MS;
    return watchEvents<T>({ maxFrameBytes, open: () => exchange.stream(request, streamMs, signal) }, signal);
  }

  create<T extends KubeObject>(ref: CollectionRef, object: T, options: WriteOptions, signal: AbortSignal): Promise<T> {
    const request = { method: 'POST', path: collectionPath(ref), query: writeQuery(options), body: object } as const;
    return this.#json(`create ${object.metadata.name ?? object.metadata.generateName ?? ''} in`, ref, request, signal);
  }

  replace<T extends KubeObject>(ref: ObjectRef, object: T, options: SubresourceWrite, signal: AbortSignal): Promise<T> {
    const path = objectPath(ref, options.subresource);
    return this.#json('replace', ref, { method: 'PUT', path, query: writeQuery(options), body: object }, signal);
  }

  patch<T extends KubeObject>(
    ref: ObjectRef,
    patch: Patch,
    options: SubresourceWrite,
    signal: AbortSignal,
  ): Promise<T> {
    const path = objectPath(ref, options.subresource);
    const contentType = PATCH_TYPES[patch.type];
    return this.#json(
      'patch',
      ref,
      { method: 'PATCH', path, query: writeQuery(options), body: patch.patch, contentType },
      signal,
    );
  }

  apply<T extends KubeObject>(
    ref: ObjectRef,
    object: object,
    options: ApplyOptions & SubresourceWrite,
    signal: AbortSignal,
  ): Promise<T> {
    const path = objectPath(ref, options.subresource);
    const query = { ...writeQuery(options), force: options.force ? true : undefined };
    // JSON is YAML, and older servers know only this media type.
    const contentType = 'application/apply-patch+yaml';
    return this.#json('apply', ref, { method: 'PATCH', path, query, body: object, contentType }, signal);
  }

  async delete<T extends KubeObject>(
    ref: ObjectRef,
    options: DeleteOptions,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const request = { method: 'DELETE', path: objectPath(ref), body: deleteBody(options) } as const;
    const answer = await this.#json<T>('delete', ref, request, signal);
    return isStillThere(answer) ? answer : undefined;
  }

  async deleteCollection(ref: CollectionRef, options: DeleteOptions & ListOptions, signal: AbortSignal): Promise<void> {
    // As a precondition a version guards each object; in the query it would set the freshness of the list.
    const { resourceVersion: _, ...query } = listQuery(options);
    const request = { method: 'DELETE', path: collectionPath(ref), query, body: deleteBody(options) } as const;
    await this.#json('delete all', ref, request, signal);
  }

  async evict(ref: ObjectRef, options: DeleteOptions, signal: AbortSignal): Promise<void> {
    const { name, namespace } = ref;
    const metadata = { name, namespace };
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata, deleteOptions: deleteBody(options) };
    await this.#json('evict', ref, { method: 'POST', path: objectPath(ref, 'eviction'), body, once: true }, signal);
  }

  request<T>(request: RawRequest, signal: AbortSignal): Promise<T> {
    const { exchange, priority } = this.#options;
    return exchange.json({ ...request, doing: `${request.method} ${request.path}`, priority }, signal);
  }

  withPriority(priority: Priority): KubeClient {
    return new RestClient({ ...this.#options, priority });
  }

  close(): Promise<void> {
    return this.#options.close();
  }

  #json<T>(
    verb: string,
    ref: ObjectRef | CollectionRef,
    request: Omit<ApiRequest, 'doing' | 'priority'>,
    signal: AbortSignal,
  ): Promise<T> {
    const { exchange, priority } = this.#options;
    const what = 'name' in ref ? describeObject(ref) : describeCollection(ref);
    return exchange.json({ ...request, doing: `${verb} ${what}`, priority }, signal);
  }
}

interface WireList<T> {
  items: (T & { apiVersion?: string; kind?: string })[] | null;
  readonly metadata: KubeList['metadata'];
}

/**
 * In lists of built-in kinds the server leaves out apiVersion and kind of the items. The items are not shared yet, so
 * they are filled in place.
 */
function withKinds<T extends KubeObject>(list: WireList<T>, resource: Resource): KubeList<T> {
  const items = list.items ?? [];
  const apiVersion = apiVersionOf(resource);
  for (const item of items) {
    item.apiVersion ??= apiVersion;
    item.kind ??= resource.kind;
  }
  return { items, metadata: list.metadata };
}
