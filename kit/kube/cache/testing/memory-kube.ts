import type {
  CollectionRef,
  KubeClient,
  ListOptions,
  ObjectRef,
  WatchEvent,
  WatchOptions,
} from '../../client/kube-client.ts';
import type { KubeList, KubeObject, Resource } from '../../client/kube-object.ts';
import { KubeError } from '../../kube-error.ts';

/** A request, as seen by fault injection. */
export interface MemoryRequest {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'replace' | 'delete';
  readonly plural: string;
}

/** `before`: the request never arrives. `after`: it takes effect, and the response is lost or late. */
export interface MemoryFaults {
  before?(request: MemoryRequest, signal: AbortSignal): Promise<void>;
  after?(request: MemoryRequest, signal: AbortSignal): Promise<void>;
}

interface LoggedEvent {
  readonly revision: number;
  readonly plural: string;
  readonly event: Exclude<WatchEvent, { type: 'BOOKMARK' }>;
}

type Poke = 'news' | 'end' | 'cut' | { readonly bookmark: number };

/**
 * An API server in memory, controlled by the test: it has no sockets, so it works with a fake clock, and each request
 * and each watch can be delayed, lost or cut. It supports only what informers, controllers and leader election need: no
 * selectors, no validation. The behaviour of a real server is tested on a real one.
 */
export class MemoryKube {
  readonly #objects = new Map<string, KubeObject>();
  readonly #watchers = new Set<(poke: Poke) => void>();
  #log: LoggedEvent[] = [];
  #revision = 1;
  #compacted = 0;

  get watches(): number {
    return this.#watchers.size;
  }

  /** Ends all watches, either like the server at their timeout, or like a broken network. */
  end(how: 'end' | 'cut'): void {
    for (const poke of this.#watchers) poke(how);
  }

  /** Forgets the history up to now: a watch from there gets 410. */
  compact(): void {
    this.#compacted = this.#revision;
    this.#log = [];
  }

  bookmark(): void {
    for (const poke of this.#watchers) poke({ bookmark: this.#revision });
  }

  client(faults: MemoryFaults = {}): KubeClient {
    const through = async <T>(request: MemoryRequest, signal: AbortSignal, act: () => T): Promise<T> => {
      signal.throwIfAborted();
      await faults.before?.(request, signal);
      signal.throwIfAborted();
      const result = act();
      await faults.after?.(request, signal);
      return result;
    };
    const served = {
      get: (ref: ObjectRef, signal: AbortSignal) =>
        through({ verb: 'get', plural: ref.resource.plural }, signal, () => this.#get(ref)),
      list: (ref: CollectionRef, options: ListOptions, signal: AbortSignal) =>
        through({ verb: 'list', plural: ref.resource.plural }, signal, () => this.#list(ref, options)),
      create: (ref: CollectionRef, object: KubeObject, _: unknown, signal: AbortSignal) =>
        through({ verb: 'create', plural: ref.resource.plural }, signal, () => this.#create(ref, object)),
      replace: (ref: ObjectRef, object: KubeObject, _: unknown, signal: AbortSignal) =>
        through({ verb: 'replace', plural: ref.resource.plural }, signal, () => this.#replace(ref, object)),
      delete: (ref: ObjectRef, _: unknown, signal: AbortSignal) =>
        through({ verb: 'delete', plural: ref.resource.plural }, signal, () => this.#delete(ref)),
      watch: (ref: CollectionRef, options: WatchOptions, signal: AbortSignal) =>
        this.#watch(ref, { ...options, faults }, signal),
    };
    // Only the methods above are used; any other is a TypeError, which is what a test wants to see.
    return served as unknown as KubeClient;
  }

  #get(ref: ObjectRef): KubeObject {
    const object = this.#objects.get(pathOf(ref));
    if (!object) throw new KubeError('NOT_FOUND', `get ${pathOf(ref)}`);
    return structuredClone(object);
  }

  #list(ref: CollectionRef, { limit, continue: after }: ListOptions): KubeList {
    const [at = this.#revision, from = 0] = after?.split('/').map(Number) ?? [];
    if (at < this.#compacted) throw new KubeError('EXPIRED', 'list the next page');
    const all = [...this.#objects.values()].filter((object) => isIn(object, ref)).toSorted(byName);
    const until = limit === undefined ? all.length : from + limit;
    const items = structuredClone(all.slice(from, until));
    const more = until < all.length ? { continue: `${at}/${until}` } : {};
    return { items, metadata: { resourceVersion: String(at), ...more } };
  }

  #create(ref: CollectionRef, object: KubeObject): KubeObject {
    const revision = this.#revision + 1;
    const name = object.metadata.name ?? `${object.metadata.generateName}${revision}`;
    const path = pathOf({ ...ref, name });
    if (this.#objects.has(path)) throw new KubeError('ALREADY_EXISTS', `create ${path}`);
    const metadata = { ...object.metadata, name, uid: `uid-${revision}`, ...namespaceOf(ref) };
    return this.#store(path, { ...object, metadata }, 'ADDED');
  }

  #replace(ref: ObjectRef, object: KubeObject): KubeObject {
    const present = this.#get(ref);
    if (present.metadata.resourceVersion !== object.metadata.resourceVersion) {
      throw new KubeError('CONFLICT', `replace ${pathOf(ref)}`);
    }
    return this.#store(pathOf(ref), { ...object, metadata: { ...present.metadata, ...object.metadata } }, 'MODIFIED');
  }

  #delete(ref: ObjectRef): undefined {
    const object = this.#get(ref);
    this.#store(pathOf(ref), object, 'DELETED');
    return undefined;
  }

  #store(path: string, object: KubeObject, type: LoggedEvent['event']['type']): KubeObject {
    this.#revision += 1;
    const stored = structuredClone({
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(this.#revision) },
    });
    if (type === 'DELETED') this.#objects.delete(path);
    else this.#objects.set(path, stored);
    const [plural = ''] = path.split('|');
    this.#log.push({ revision: this.#revision, plural, event: { type, object: stored } });
    for (const poke of this.#watchers) poke('news');
    return structuredClone(stored);
  }

  async *#watch(
    ref: CollectionRef,
    { resourceVersion, faults }: WatchOptions & { readonly faults: MemoryFaults },
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<never>> {
    const request: MemoryRequest = { verb: 'watch', plural: ref.resource.plural };
    await faults.before?.(request, signal);
    let seen = Number(resourceVersion);
    if (seen < this.#compacted) throw new KubeError('EXPIRED', `watch ${ref.resource.plural}`);
    const pokes: Poke[] = ['news'];
    let wake = (): void => undefined;
    const poke = (it: Poke): void => {
      pokes.push(it);
      wake();
    };
    const onAbort = (): void => wake();
    this.#watchers.add(poke);
    signal.addEventListener('abort', onAbort);
    try {
      for (;;) {
        signal.throwIfAborted();
        const next = pokes.shift();
        if (next === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else if (next === 'end') return;
        else if (next === 'cut') throw new KubeError('CONNECTION_LOST', `watch ${ref.resource.plural}`);
        else if (next !== 'news') yield { type: 'BOOKMARK', resourceVersion: String(next.bookmark) };
        else {
          if (seen < this.#compacted) throw new KubeError('EXPIRED', `watch ${ref.resource.plural}`);
          const news = this.#log.filter((it) => it.revision > seen && it.plural === ref.resource.plural);
          seen = this.#revision;
          for (const { event } of news) {
            await faults.after?.(request, signal);
            if (isIn(event.object, ref)) yield structuredClone(event) as WatchEvent<never>;
          }
        }
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#watchers.delete(poke);
    }
  }
}

export const CONFIG_MAPS: Resource = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export function configMap(name: string, data: Readonly<Record<string, string>> = {}): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

function pathOf({ resource, namespace, name }: ObjectRef): string {
  return [resource.plural, namespace ?? '', name].join('|');
}

function isIn(object: KubeObject, { resource, namespace }: CollectionRef): boolean {
  return object.kind === resource.kind && (namespace === undefined || object.metadata.namespace === namespace);
}

function namespaceOf({ namespace }: CollectionRef): { namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}

function byName(a: KubeObject, b: KubeObject): number {
  const [left, right] = [a, b].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`) as [string, string];
  return left < right ? -1 : 1;
}
