import { type Clock, unlessAborted } from '#kit/std';
import { KubeError } from '../kube-error.ts';
import { apiVersionOf } from './api-paths.ts';
import { fetchResources, type GetJson } from './fetch-resources.ts';
import type { Discovery } from './kube-client.ts';
import type { Resource } from './kube-object.ts';

const FRESH_MS = 1000;
const FETCH_MS = 60_000;

interface Known {
  readonly at: number;
  readonly list: readonly Resource[];
  readonly byKind: ReadonlyMap<string, Resource>;
}

interface OpenapiIndex {
  readonly paths?: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

/**
 * The kinds that the server serves, fetched once. An unknown kind may have been added since, so a miss fetches again,
 * unless the data is less than a second old: a caller that repeatedly asks for a missing kind costs one round trip per
 * second.
 */
export class CachedDiscovery implements Discovery {
  readonly #get: GetJson;
  readonly #clock: Clock;
  #known: Known | undefined;
  #fetching: Promise<Known> | undefined;
  readonly #documents = new Map<string, { readonly url: string; readonly document: object }>();

  constructor(get: GetJson, clock: Clock) {
    this.#get = get;
    this.#clock = clock;
  }

  async resourceFor(apiVersion: string, kind: string, signal: AbortSignal): Promise<Resource> {
    const key = `${apiVersion}/${kind}`;
    let known = this.#known ?? (await this.#fetch(signal));
    if (!known.byKind.has(key) && this.#clock.now() - known.at >= FRESH_MS) known = await this.#fetch(signal);
    const resource = known.byKind.get(key);
    if (resource) return resource;
    throw new KubeError('KIND_NOT_SERVED', `find ${kind} of ${apiVersion}: the server does not know it`);
  }

  async resources(signal: AbortSignal): Promise<readonly Resource[]> {
    return (this.#known ?? (await this.#fetch(signal))).list;
  }

  async openapi(apiVersion: string, signal: AbortSignal): Promise<object> {
    const index = await this.#get<OpenapiIndex>({ path: '/openapi/v3' }, signal);
    const path = apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
    const url = index.paths?.[path]?.serverRelativeURL;
    if (url === undefined)
      throw new KubeError('KIND_NOT_SERVED', `find the schema of ${apiVersion}: the server has none`);
    // The URL contains a hash of the content: while it is the same, so is the document.
    const cached = this.#documents.get(apiVersion);
    if (cached?.url === url) return cached.document;
    const document = await this.#get<object>({ path: url }, signal);
    this.#documents.set(apiVersion, { url, document });
    return document;
  }

  forget(): void {
    this.#known = undefined;
    this.#documents.clear();
  }

  /** Concurrent callers share one fetch. */
  async #fetch(signal: AbortSignal): Promise<Known> {
    this.#fetching ??= this.#fetchNow().finally(() => {
      this.#fetching = undefined;
    });
    return unlessAborted(this.#fetching, signal);
  }

  async #fetchNow(): Promise<Known> {
    const list = await fetchResources(this.#get, AbortSignal.timeout(FETCH_MS));
    const byKind = new Map(list.map((resource) => [`${apiVersionOf(resource)}/${resource.kind}`, resource]));
    this.#known = { at: this.#clock.now(), list, byKind };
    return this.#known;
  }
}
