import type { KubeObject } from '../client/kube-object.ts';

/** The index values of an object; may be empty. */
export type IndexValues<T extends KubeObject> = (object: T) => readonly string[];

/** Objects by index value. It follows the cache. */
export interface ObjectIndex<T extends KubeObject> {
  get(value: string): readonly T[];
  values(): Iterable<string>;
}

export class LiveIndex<T extends KubeObject> implements ObjectIndex<T> {
  readonly #valuesOf: IndexValues<T>;
  readonly #objects = new Map<string, Set<T>>();

  constructor(valuesOf: IndexValues<T>) {
    this.#valuesOf = valuesOf;
  }

  get(value: string): readonly T[] {
    return [...(this.#objects.get(value) ?? [])];
  }

  values(): Iterable<string> {
    return this.#objects.keys();
  }

  add(object: T): void {
    for (const value of this.#valuesOf(object)) {
      const found = this.#objects.get(value);
      if (found) found.add(object);
      else this.#objects.set(value, new Set([object]));
    }
  }

  remove(object: T): void {
    // Objects are frozen, so the function returns the same values as when the object was added.
    for (const value of this.#valuesOf(object)) {
      const found = this.#objects.get(value);
      found?.delete(object);
      if (found?.size === 0) this.#objects.delete(value);
    }
  }
}
