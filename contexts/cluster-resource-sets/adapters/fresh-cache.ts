import type { KubeObject } from '#kit/kube';
import type { Lister, ObjectKey } from '#kit/kube/cache';
import { formatKey, keyOf } from '#kit/kube/controller';

/** What we wrote, until the cache shows it or something newer. `deleted` is the uid of what was there. */
type Written<T> = { readonly object: T } | { readonly deleted: string };

/**
 * A cache that is never older than what was written by us: whoever writes and looks again sees it, and does not write it again
 * against itself.
 *
 * DECISION: versions are compared as numbers. For API servers they are numbers that grow, which Kubernetes promises from 1.35
 * on and has kept ever since; the alternative is a read before each write.
 */
export class FreshCache<T extends KubeObject> {
  readonly #lister: Lister<T>;
  readonly #written = new Map<string, Written<T>>();

  constructor(lister: Lister<T>) {
    this.#lister = lister;
  }

  get(key: ObjectKey): T | undefined {
    return this.#newest(formatKey(key), this.#lister.get(key));
  }

  list(namespace: string): readonly T[] {
    if (this.#written.size === 0) return this.#lister.list(namespace);
    const cached = new Map(this.#lister.list(namespace).map((object) => [formatKey(keyOf(object)), object]));
    const ours = [...this.#written.keys()].filter((key) => key.startsWith(`${namespace}/`));
    return [...new Set([...cached.keys(), ...ours])].flatMap((key) => this.#newest(key, cached.get(key)) ?? []);
  }

  wrote(object: T): void {
    this.#written.set(formatKey(keyOf(object)), { object });
  }

  /** Of one that was seen here. Where it is not to be seen any more, the watch was faster than the answer. */
  deleted(object: KubeObject): void {
    const key = keyOf(object);
    const { uid = '' } = object.metadata;
    if (this.get(key)?.metadata.uid === uid) this.#written.set(formatKey(key), { deleted: uid });
  }

  /** Whether it is as we wrote it. */
  isOurs(object: T): boolean {
    const written = this.#written.get(formatKey(keyOf(object)));
    if (written === undefined || 'deleted' in written) return false;
    return written.object.metadata.resourceVersion === object.metadata.resourceVersion;
  }

  /** The server does not know it: whatever we wrote is gone with it. */
  forget(key: ObjectKey): void {
    this.#written.delete(formatKey(key));
  }

  /** The server has deleted it: whatever we wrote into it. */
  sawDeleted(object: KubeObject): void {
    const text = formatKey(keyOf(object));
    const written = this.#written.get(text);
    if (written === undefined) return;
    const uid = 'deleted' in written ? written.deleted : written.object.metadata.uid;
    if (uid === object.metadata.uid) this.#written.delete(text);
  }

  #newest(key: string, cached: T | undefined): T | undefined {
    const written = this.#written.get(key);
    if (written === undefined) return cached;
    if ('deleted' in written) {
      // The watch may yet tell that it was made; that it was deleted comes after it.
      if (cached === undefined || cached.metadata.uid === written.deleted) return undefined;
      this.#written.delete(key);
      return cached;
    }
    if (cached === undefined || versionOf(cached) < versionOf(written.object)) return written.object;
    this.#written.delete(key);
    return cached;
  }
}

function versionOf({ metadata }: KubeObject): bigint {
  return /^[0-9]+$/.test(metadata.resourceVersion ?? '') ? BigInt(metadata.resourceVersion ?? '0') : 0n;
}
