import type { KubeObject } from '#kit/kube';
import type { Lister, ObjectKey } from '#kit/kube/cache';
import { formatKey, keyOf } from '#kit/kube/controller';

/** Our own write, until the cache shows it or something newer. `deleted` is the object as it was when we deleted it. */
type Written<T> = { readonly object: T } | { readonly deleted: KubeObject };

/**
 * A cache that is never older than our own writes: code that writes and then reads sees its write, and does not
 * conflict with itself.
 *
 * DECISION: versions are compared as numbers. API servers use increasing numbers; Kubernetes guarantees this from 1.35
 * on and has always done so. The alternative is a read before each write.
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

  /** Only for an object that is still visible here. If it is not, the watch was faster than the response. */
  deleted(object: KubeObject): void {
    const key = keyOf(object);
    if (this.get(key)?.metadata.uid === object.metadata.uid) this.#written.set(formatKey(key), { deleted: object });
  }

  /** Whether the object is our own last write. */
  isOurs(object: T): boolean {
    const written = this.#written.get(formatKey(keyOf(object)));
    if (written === undefined || 'deleted' in written) return false;
    return written.object.metadata.resourceVersion === object.metadata.resourceVersion;
  }

  /** The server does not have the object, so our write is gone too. */
  forget(key: ObjectKey): void {
    this.#written.delete(formatKey(key));
  }

  /** The server deleted the object, together with our write. */
  sawDeleted(object: KubeObject): void {
    const text = formatKey(keyOf(object));
    const written = this.#written.get(text);
    if (written === undefined) return;
    const { metadata } = 'deleted' in written ? written.deleted : written.object;
    if (metadata.uid === object.metadata.uid) this.#written.delete(text);
  }

  #newest(key: string, cached: T | undefined): T | undefined {
    const written = this.#written.get(key);
    if (written === undefined) return cached;
    if ('deleted' in written) {
      // The watch may still report the creation of the deleted object, or one that had its name before; deletions follow.
      const { deleted } = written;
      if (cached === undefined || cached.metadata.uid === deleted.metadata.uid) return undefined;
      if (versionOf(cached) < versionOf(deleted)) return undefined;
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
