import type { Failure } from '../domain/failure.ts';
import type { NamespacedName, ResourceSet } from '../domain/resource-set.ts';

interface Outcome {
  /** Uid of the set: outcomes of an earlier set of the same name do not count. */
  readonly uid: string;
  readonly generation: number;
  readonly failures: readonly Failure[];
}

export interface Tally {
  /** Clusters without an outcome yet. */
  readonly pending: readonly string[];
  readonly failures: readonly Failure[];
}

/**
 * The outcome of each set in each cluster. Kept in memory: bindings say what was applied, but not why something failed,
 * and a starting process checks every cluster anyway.
 */
export class Outcomes {
  readonly #bySet = new Map<string, Map<string, Outcome>>();
  readonly #underWay = new Map<string, number>();

  /** Returns whether the outcome changed. */
  record(set: ResourceSet, clusterName: string, failures: readonly Failure[]): boolean {
    const { uid, generation } = set;
    const ofSet = this.#bySet.get(idOf(set)) ?? new Map<string, Outcome>();
    this.#bySet.set(idOf(set), ofSet);
    const before = ofSet.get(clusterName);
    ofSet.set(clusterName, { uid, generation, failures });
    return (
      before?.uid !== uid ||
      before.generation !== generation ||
      JSON.stringify(before.failures) !== JSON.stringify(failures)
    );
  }

  tally(set: ResourceSet, clusterNames: readonly string[]): Tally {
    const ofSet = this.#bySet.get(idOf(set));
    const pending: string[] = [];
    const failures: Failure[] = [];
    for (const name of clusterNames) {
      const outcome = ofSet?.get(name);
      if (outcome?.uid === set.uid && outcome.generation === set.generation) failures.push(...outcome.failures);
      else pending.push(name);
    }
    return { pending, failures };
  }

  forgetSet(key: NamespacedName): void {
    this.#bySet.delete(idOf(key));
  }

  forgetCluster({ namespace, name }: NamespacedName): void {
    for (const [id, ofSet] of this.#bySet) if (id.startsWith(`${namespace}/`)) ofSet.delete(name);
  }

  /**
   * Marks the sets as in progress, so that something may be written for them, until the returned function is called.
   */
  begin(sets: readonly NamespacedName[]): () => void {
    const ids = sets.map(idOf);
    for (const id of ids) this.#underWay.set(id, (this.#underWay.get(id) ?? 0) + 1);
    return () => {
      for (const id of ids) {
        const left = (this.#underWay.get(id) ?? 1) - 1;
        if (left === 0) this.#underWay.delete(id);
        else this.#underWay.set(id, left);
      }
    };
  }

  isUnderWay(set: NamespacedName): boolean {
    return this.#underWay.has(idOf(set));
  }
}

function idOf({ namespace, name }: NamespacedName): string {
  return `${namespace}/${name}`;
}
