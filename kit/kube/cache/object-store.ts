import type { KubeObject } from '../client/kube-object.ts';
import { type IndexValues, LiveIndex, type ObjectIndex } from './object-index.ts';

/** Reads what a cache has. It is as old as the last thing the API server told; nothing here asks it. */
export interface Lister<T extends KubeObject = KubeObject> {
  readonly size: number;
  get(key: ObjectKey): T | undefined;
  /** Of one namespace, or of all. */
  list(namespace?: string): readonly T[];
  /** Made once for each function, however often it is asked for. */
  index(valuesOf: IndexValues<T>): ObjectIndex<T>;
}

/** The name of an object among those of its kind; without a namespace when its kind has none. */
export interface ObjectKey {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** `undefined` before stands for what is new, `undefined` now for what is gone. */
export interface Change<T extends KubeObject = KubeObject> {
  readonly old: T | undefined;
  readonly now: T | undefined;
}

/**
 * Objects by namespace and name, and by the indexes that were asked for.
 *
 * DECISION: two levels of maps rather than one with joined keys. The names are there already, as parts of the objects,
 * and the list of a namespace needs no index.
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

  /** Puts it in the place of what was there; what that means for those who follow. */
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
    // What the server says last is newer than what we had.
    return [{ old: object, now: undefined }];
  }

  /** Everything there is now. What is not among it is gone. */
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

/** One that was deleted and made anew under its name, unseen, is two changes. One that is the same is none. */
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
