import type { KubeObject } from '../client/kube-object.ts';
import { type IndexValues, LiveIndex, type ObjectIndex } from './object-index.ts';

/** Reads a cache. It is as recent as the last message of the API server; reading sends no request. */
export interface Lister<T extends KubeObject = KubeObject> {
  readonly size: number;
  get(key: ObjectKey): T | undefined;
  /** The objects of one namespace, or of all. */
  list(namespace?: string): readonly T[];
  /** Created once for each function, however often it is requested. */
  index(valuesOf: IndexValues<T>): ObjectIndex<T>;
}

/** The name of an object within its kind; without a namespace for cluster-wide kinds. */
export interface ObjectKey {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** `old` is undefined for a new object, `now` for a deleted one. */
export interface Change<T extends KubeObject = KubeObject> {
  readonly old: T | undefined;
  readonly now: T | undefined;
}

/**
 * Objects by namespace and name, and by the requested indexes.
 *
 * DECISION: two levels of maps instead of one with joined keys. The names already exist as parts of the objects, and
 * listing a namespace needs no index.
 */
export class ObjectStore<T extends KubeObject> implements Lister<T> {
  readonly #namespaces = new Map<string, Map<string, T>>();
  readonly #indexes = new Map<IndexValues<T>, LiveIndex<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get({ namespace = '', name }: ObjectKey): T | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  list(namespace?: string): readonly T[] {
    if (namespace !== undefined) return [...(this.#namespaces.get(namespace)?.values() ?? [])];
    return [...this.#all()];
  }

  index(valuesOf: IndexValues<T>): ObjectIndex<T> {
    const known = this.#indexes.get(valuesOf);
    if (known) return known;
    const index = new LiveIndex(valuesOf);
    for (const object of this.#all()) index.add(object);
    this.#indexes.set(valuesOf, index);
    return index;
  }

  /** Stores the object; returns the resulting changes. */
  set(object: T): Change<T>[] {
    const [namespace, name] = placeOf(object);
    const inNamespace = this.#namespaces.get(namespace) ?? new Map<string, T>();
    this.#namespaces.set(namespace, inNamespace);
    const old = inNamespace.get(name);
    if (old !== undefined) this.#unindex(old);
    else this.#size += 1;
    inNamespace.set(name, object);
    for (const index of this.#indexes.values()) index.add(object);
    return changes(old, object);
  }

  remove(object: T): Change<T>[] {
    const [namespace, name] = placeOf(object);
    const inNamespace = this.#namespaces.get(namespace);
    const old = inNamespace?.get(name);
    if (old === undefined) return [];
    this.#unindex(old);
    this.#size -= 1;
    inNamespace?.delete(name);
    if (inNamespace?.size === 0) this.#namespaces.delete(namespace);
    // The server's latest message is newer than the stored object.
    return [{ old: object, now: undefined }];
  }

  /** Replaces the whole content. Objects that are not in the list are removed. */
  *replace(objects: readonly T[]): Generator<Change<T>> {
    const present = new Set(objects.map((object) => placeOf(object).join('/')));
    for (const old of this.list()) if (!present.has(placeOf(old).join('/'))) yield* this.remove(old);
    for (const object of objects) yield* this.set(object);
  }

  *#all(): Generator<T> {
    for (const objects of this.#namespaces.values()) yield* objects.values();
  }

  #unindex(object: T): void {
    for (const index of this.#indexes.values()) index.remove(object);
  }
}

/** An object that was deleted and created again under its name unnoticed gives two changes; an unchanged one gives none. */
function changes<T extends KubeObject>(old: T | undefined, now: T): Change<T>[] {
  if (old === undefined) return [{ old, now }];
  if (old.metadata.uid !== now.metadata.uid) {
    return [
      { old, now: undefined },
      { old: undefined, now },
    ];
  }
  return old.metadata.resourceVersion === now.metadata.resourceVersion ? [] : [{ old, now }];
}

function placeOf({ metadata }: KubeObject): [namespace: string, name: string] {
  return [metadata.namespace ?? '', metadata.name ?? ''];
}
