import { type InventoryItem, idOf } from '../domain/inventory.ts';
import type { Written } from './ports.ts';

/** Each takes about a hundred bytes. */
const MOST_OBJECTS = 50_000;

/** Versions of the objects of one cluster after our last write. */
export class VersionsOfCluster {
  readonly #versions = new Map<string, string>();

  get size(): number {
    return this.#versions.size;
  }

  get(object: InventoryItem): string | undefined {
    return this.#versions.get(idOf(object));
  }

  /** Objects with a status are not tracked: others update it all the time, which changes the version. */
  note(object: InventoryItem, { resourceVersion, hasStatus }: Written): void {
    if (!hasStatus) this.#versions.set(idOf(object), resourceVersion);
  }

  forget(object: InventoryItem): void {
    this.#versions.delete(idOf(object));
  }
}

/**
 * An object that we wrote last can be written again without reading it first: the server checks its version. Kept in
 * memory, for the clusters that were written to most recently.
 */
export class KnownVersions {
  readonly #byCluster = new Map<string, VersionsOfCluster>();
  readonly #most: number;

  constructor(most = MOST_OBJECTS) {
    this.#most = most;
  }

  /** For a cluster that is about to be written to. Notes made after `forget` are lost. */
  of(cluster: string): VersionsOfCluster {
    const versions = this.#byCluster.get(cluster) ?? new VersionsOfCluster();
    this.#byCluster.delete(cluster);
    this.#byCluster.set(cluster, versions);
    this.#makeRoom();
    return versions;
  }

  /** The cluster is, or may be, a different one now. */
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
