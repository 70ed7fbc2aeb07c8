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
  /** Has the cluster looked at. */
  readonly wakeCluster: (key: NamespacedName) => void;
  readonly clock: Clock;
}

/**
 * Looks after what belongs to a set itself: its finalizer, that it owns its resources, its status; and that nothing of it is
 * left in bindings before it goes. What clusters need is done by `ClusterReconciler`, for all sets of a cluster at once.
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
      // The clusters wait for it, and what was just written is no news to them until the watch tells.
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
    // What is not known yet may still be good or bad. A failure elsewhere is one already.
    if (pending.length > 0 && failures.length === 0) return DONE;
    await this.#writeStatus(set, { kind: 'looked', failures }, signal);
    return notOwned.length > 0 ? { kind: 'retry' } : DONE;
  }

  /** Resources that a set owns go when it does, unless they are to be kept. One that cannot be owned keeps no other from it. */
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
    // Whoever is at work for the set may have a write under way that would put it back. They wake it when they are done.
    if (held.length > 0 || outcomes.isUnderWay(set)) return DONE;
    // Before the set goes, or what it owns goes with it.
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
