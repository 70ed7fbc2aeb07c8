import { type InventoryItem, idOf } from '../domain/inventory.ts';
import type { Written } from './ports.ts';

/** Of some hundred bytes each. */
const MOST_OBJECTS = 50_000;

/** The versions that objects of one cluster had when we last wrote them. */
export class VersionsOfCluster {
  readonly #versions = new Map<string, string>();

  get size(): number {
    return this.#versions.size;
  }

  get(object: InventoryItem): string | undefined {
    return this.#versions.get(idOf(object));
  }

  /** One with a status is not kept: what others write into it all the time makes another version of it. */
  note(object: InventoryItem, { resourceVersion, hasStatus }: Written): void {
    if (!hasStatus) this.#versions.set(idOf(object), resourceVersion);
  }

  forget(object: InventoryItem): void {
    this.#versions.delete(idOf(object));
  }
}

/**
 * What was written last needs no look before it is written again: with its version in hand the server says whether it is
 * still so. Kept in memory, and for those clusters that were written to last.
 */
export class KnownVersions {
  readonly #byCluster = new Map<string, VersionsOfCluster>();
  readonly #most: number;

  constructor(most = MOST_OBJECTS) {
    this.#most = most;
  }

  /** Of a cluster that is about to be written to. What is noted in it after it was forgotten is lost. */
  of(cluster: string): VersionsOfCluster {
    const versions = this.#byCluster.get(cluster) ?? new VersionsOfCluster();
    this.#byCluster.delete(cluster);
    this.#byCluster.set(cluster, versions);
    this.#makeRoom();
    return versions;
  }

  /** It is another cluster now, or may be. */
  forget(cluster: string): void {
    this.#byCluster.delete(cluster);
  }

  #makeRoom(): void {
    let size = this.#byCluster.values().reduce((sum, versions) => sum + versions.size, 0);
    for (const [cluster, versions] of this.#byCluster) {
      if (size <= this.#most) return;
      this.#byCluster.delete(cluster);
      size -= versions.size;
    }
  }
}
