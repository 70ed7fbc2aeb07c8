import type { Clock } from '#kit/std';
import { holds, ownerFor, withOwner, withoutOwner } from '../domain/binding.ts';
import { selectClusters } from '../domain/cluster-selection.ts';
import { isCrsError } from '../domain/crs-error.ts';
import type { Failure } from '../domain/failure.ts';
import { kubeTime } from '../domain/kube-time.ts';
import { nextStatus, type Verdict } from '../domain/next-status.ts';
import {
  FINALIZER,
  hasOurFinalizer,
  type NamespacedName,
  type ResourceRef,
  type ResourceSet,
} from '../domain/resource-set.ts';
import type { Outcomes } from './outcomes.ts';
import { type Bindings, type Clusters, DONE, type Next, type ResourceSets, type Resources } from './ports.ts';

export interface SetReconcilerDeps {
  readonly sets: ResourceSets;
  readonly clusters: Clusters;
  readonly bindings: Bindings;
  readonly resources: Resources;
  readonly outcomes: Outcomes;
  /** Queues the cluster for reconciliation. */
  readonly wakeCluster: (key: NamespacedName) => void;
  readonly clock: Clock;
}

/**
 * Manages what belongs to a set itself: its finalizer, its ownership of resources and its status. Also makes sure that
 * no binding refers to the set before it is deleted. The work in clusters is done by `ClusterReconciler`, for all sets
 * of a cluster at once.
 */
export class SetReconciler {
  readonly #deps: SetReconcilerDeps;

  constructor(deps: SetReconcilerDeps) {
    this.#deps = deps;
  }

  async reconcile(key: NamespacedName, signal: AbortSignal): Promise<Next> {
    const { sets, outcomes } = this.#deps;
    const set = sets.get(key);
    if (set === undefined) {
      outcomes.forgetSet(key);
      return DONE;
    }
    if (!hasOurFinalizer(set) && !set.isDeleting) {
      await sets.setFinalizers(set, [...set.finalizers, FINALIZER], signal);
      // The watch event of this write wakes the clusters.
      return DONE;
    }
    if (set.isPaused) return await this.#writeStatus(set, { kind: 'none' }, signal);
    if (set.isDeleting) return await this.#leave(set, signal);
    return await this.#settle(set, signal);
  }

  async #settle(set: ResourceSet, signal: AbortSignal): Promise<Next> {
    const { clusters, outcomes } = this.#deps;
    const selection = selectClusters(set.selector, clusters.inNamespace(set.namespace));
    if (selection.kind === 'unreadable') {
      const failure = { kind: 'selector-unreadable', why: `unable to convert selector: ${selection.why}` } as const;
      return await this.#writeStatus(set, { kind: 'looked', failures: [failure] }, signal);
    }
    if (selection.clusters.length === 0) return await this.#writeStatus(set, { kind: 'no-clusters' }, signal);
    const notOwned = await this.#own(set, signal);
    const names = selection.clusters.map(({ name }) => name);
    const { pending, failures: ofClusters } = outcomes.tally(set, names);
    const failures = [...notOwned, ...ofClusters];
    // A cluster without outcome may still succeed or fail. A failure elsewhere can be reported already.
    if (pending.length > 0 && failures.length === 0) return DONE;
    await this.#writeStatus(set, { kind: 'looked', failures }, signal);
    return notOwned.length > 0 ? { kind: 'retry' } : DONE;
  }

  /**
   * Resources owned by a set are deleted with it, unless they are to be kept. If one cannot be owned, the others still
   * are.
   */
  async #own(set: ResourceSet, signal: AbortSignal): Promise<readonly Failure[]> {
    const failures: Failure[] = [];
    for (const resource of set.resources) {
      try {
        await this.#ownOne(set, resource, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (isCrsError(error, 'CONFLICT')) throw error;
        const why = error instanceof Error ? error.message : String(error);
        failures.push({ kind: 'resource-unavailable', resource, why });
      }
    }
    return failures;
  }

  async #ownOne(set: ResourceSet, ref: ResourceRef, signal: AbortSignal): Promise<void> {
    const { resources } = this.#deps;
    const reading = await resources.read(set.namespace, ref, signal);
    if (reading.kind !== 'found') return;
    const { owners } = reading.resource;
    const wanted = set.options.keepResources ? withoutOwner(owners, set.name) : withOwner(owners, ownerFor(set));
    if (wanted !== owners) await resources.setOwners(reading.resource, wanted, signal);
  }

  async #leave(set: ResourceSet, signal: AbortSignal): Promise<Next> {
    const { sets, bindings, outcomes, wakeCluster } = this.#deps;
    if (!hasOurFinalizer(set)) return DONE;
    const held = bindings.inNamespace(set.namespace).filter((binding) => holds(binding, set.name));
    for (const { namespace, name } of held) wakeCluster({ namespace, name });
    // A reconciliation in progress may have a pending write that would put the set back. It wakes the set when it is
    // done.
    if (held.length > 0 || outcomes.isUnderWay(set)) return DONE;
    // Must happen before the set is deleted, otherwise its resources are deleted with it.
    if (set.options.keepResources && (await this.#own(set, signal)).length > 0) return { kind: 'retry' };
    await sets.setFinalizers(
      set,
      set.finalizers.filter((finalizer) => finalizer !== FINALIZER),
      signal,
    );
    return DONE;
  }

  async #writeStatus(set: ResourceSet, verdict: Verdict, signal: AbortSignal): Promise<Next> {
    const { sets, clock } = this.#deps;
    const { generation, isPaused } = set;
    const status = nextStatus(set.status, { generation, isPaused, verdict }, kubeTime(clock.now()));
    if (status !== set.status) await sets.writeStatus(set, status, signal);
    return DONE;
  }
}
