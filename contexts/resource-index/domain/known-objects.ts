import { BUCKETS, bucketOf } from './bucket.ts';
import { DIGEST_SPACE } from './hash48.ts';

interface Known {
  readonly digest: number;
  /** 0 unless the object expires. */
  readonly expireTime: number;
}

export interface KnownEntry {
  readonly keyText: string;
  readonly digest: number;
}

/**
 * The objects of one type that one side believes the other to have: a digest for each object, and their sum for each bucket.
 * Nothing else is kept of an object.
 */
export class KnownObjects {
  readonly #digests = new Map<string, number>();
  /** Only for objects that expire. */
  readonly #expiries = new Map<string, number>();
  readonly #sums = new Float64Array(BUCKETS);

  get size(): number {
    return this.#digests.size;
  }

  digestOf(keyText: string): number | undefined {
    return this.#digests.get(keyText);
  }

  keys(): MapIterator<string> {
    return this.#digests.keys();
  }

  set(keyText: string, { digest, expireTime }: Known): void {
    this.#add(keyText, digest - (this.#digests.get(keyText) ?? 0));
    this.#digests.set(keyText, digest);
    if (expireTime === 0) this.#expiries.delete(keyText);
    else this.#expiries.set(keyText, expireTime);
  }

  delete(keyText: string): void {
    this.#add(keyText, -(this.#digests.get(keyText) ?? 0));
    this.#digests.delete(keyText);
    this.#expiries.delete(keyText);
  }

  /** The other side removes expired objects by itself. */
  forgetExpired(now: number): void {
    for (const [keyText, time] of this.#expiries) if (time <= now) this.delete(keyText);
  }

  /** The buckets in which the other side differs. */
  differing(sums: ArrayLike<number>): readonly number[] {
    return Array.from(this.#sums.keys()).filter((bucket) => this.#sums[bucket] !== (sums[bucket] ?? 0));
  }

  /** Replaces the entries of these buckets with what the other side actually has. */
  replace(buckets: ReadonlySet<number>, entries: readonly KnownEntry[]): void {
    for (const keyText of this.#digests.keys()) if (buckets.has(bucketOf(keyText))) this.delete(keyText);
    for (const { keyText, digest } of entries) this.set(keyText, { digest, expireTime: 0 });
  }

  #add(keyText: string, difference: number): void {
    const bucket = bucketOf(keyText);
    this.#sums[bucket] = ((this.#sums[bucket] ?? 0) + difference + DIGEST_SPACE) % DIGEST_SPACE;
  }
}
