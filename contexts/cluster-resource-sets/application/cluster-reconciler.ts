import type { Clock, Sleep } from '#kit/std';
import type { Binding } from '../domain/binding.ts';
import { type BindingContent, type EntryChange, holds, recordChanges, withClusterNamed } from '../domain/binding.ts';
import type { Cluster } from '../domain/cluster.ts';
import { isCrsError } from '../domain/crs-error.ts';
import { isLeaving, type NamespacedName, type ResourceSet } from '../domain/resource-set.ts';
import { ClusterPass, type ClusterPassDeps } from './cluster-pass.ts';
import { type Bindings, DONE, type Inventories, type Next } from './ports.ts';

export interface ClusterReconcilerDeps extends ClusterPassDeps {
  readonly bindings: Bindings;
  readonly inventories: Inventories;
  /** Queues the set for reconciliation. */
  readonly wakeSet: (key: NamespacedName) => void;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** How long to wait for more changes before the binding is written. */
  readonly settleMs: number;
}

/** The longest time that work stays unrecorded, however much keeps coming. */
const COLLECT_MS = 2_000;
/** The longest wait for a set that is about to start. */
const EXPECT_MS = 500;
const WRITES = 5;

/**
 * Applies all sets that select a cluster, and records the result in its binding with a single write. This is why the
 * key is a cluster: sets that are reconciled concurrently would conflict on the same binding.
 */
export class ClusterReconciler {
  readonly #deps: ClusterReconcilerDeps;

  constructor(deps: ClusterReconcilerDeps) {
    this.#deps = deps;
  }

  async reconcile(key: NamespacedName, signal: AbortSignal): Promise<Next> {
    const { bindings, clusters, outcomes } = this.#deps;
    const binding = bindings.get(key);
    const clusterName = (binding && withClusterNamed(binding).clusterName) || key.name;
    const cluster = clusters.get({ namespace: key.namespace, name: clusterName });
    if (cluster === undefined || cluster.isDeleting) return await this.#gone(key, { binding, cluster }, signal);
    const pass = new ClusterPass(this.#deps, cluster);
    try {
      // A binding whose name differs from its cluster is kept in order, but nothing new is recorded in it.
      if (cluster.name === key.name) await this.#work(pass, signal);
      await this.#record(key, pass.changes, signal);
    } finally {
      pass.end();
      this.#wakeLeaving(key.namespace);
    }
    for (const { set, failures } of pass.verdicts) {
      if (outcomes.record(set, cluster.name, failures)) this.#deps.wakeSet(set);
    }
    return pass.next;
  }

  /** Repeats until there is nothing more to do: changes that arrive meanwhile are recorded together. */
  async #work(pass: ClusterPass, signal: AbortSignal): Promise<void> {
    const { clock, sleep, settleMs } = this.#deps;
    const begun = clock.now();
    for (let worked = 0; ; ) {
      // Read before the round: a set that arrives during a round is handled in the next one.
      const isExpecting = pass.isExpecting;
      const found = clock.now();
      const didWork = await pass.round(signal);
      const now = clock.now();
      const sinceMs = now - begun;
      if (didWork) worked += 1;
      else if (worked === 0 || !isExpecting || sinceMs > EXPECT_MS) return;
      if (sinceMs > COLLECT_MS) return;
      // After two changes in a row, wait a little longer for a third. The time spent on the work counts as part of the
      // wait. The sleep is never skipped, so that changes that arrived meanwhile can be delivered.
      const waitMs = worked > 1 ? 3 * settleMs : settleMs;
      await sleep(Math.max(0, waitMs - (didWork ? now - found : 0)), signal);
    }
  }

  async #record(key: NamespacedName, bound: readonly EntryChange[], signal: AbortSignal): Promise<void> {
    const { bindings } = this.#deps;
    let binding = bindings.get(key);
    for (let left = WRITES; ; left -= 1) {
      try {
        return await this.#write(key, { binding, bound }, signal);
      } catch (error) {
        if (left === 0 || !isCrsError(error, 'CONFLICT')) throw error;
        // Nothing is applied again: the changes are recorded on top of what others wrote.
        binding = await bindings.reread(key, signal);
      }
    }
  }

  async #write(
    key: NamespacedName,
    { binding, bound }: { readonly binding: Binding | undefined; readonly bound: readonly EntryChange[] },
    signal: AbortSignal,
  ): Promise<void> {
    const { bindings } = this.#deps;
    const left = this.#leaving(key.namespace, binding);
    const changes = [...bound.filter((change) => this.#isStill(key.namespace, change)), ...left];
    const empty: BindingContent = { clusterName: key.name, owners: [], entries: [] };
    const next = recordChanges(binding ? withClusterNamed(binding) : empty, changes);
    if (binding === undefined) {
      if (next !== empty) await bindings.create(key, next, signal);
      return;
    }
    if (left.length > 0 && next.entries.length === 0) return await bindings.delete(binding, signal);
    if (next !== binding) await bindings.update(binding, next, signal);
  }

  #leaving(namespace: string, binding: Binding | undefined): readonly EntryChange[] {
    if (binding === undefined) return [];
    const leaving = this.#deps.sets.inNamespace(namespace).filter((set) => isLeaving(set) && holds(binding, set.name));
    return leaving.map(({ name }) => ({ kind: 'left', setName: name }));
  }

  /** The set may have been deleted while it was applied. Recording it would leave it in the binding permanently. */
  #isStill(namespace: string, change: EntryChange): boolean {
    if (change.kind === 'left') return true;
    const set = this.#deps.sets.get({ namespace, name: change.owner.name });
    return set !== undefined && set.uid === change.owner.uid && !isLeaving(set);
  }

  async #gone(
    { namespace, name }: NamespacedName,
    { binding, cluster }: { readonly binding: Binding | undefined; readonly cluster: Cluster | undefined },
    signal: AbortSignal,
  ): Promise<Next> {
    const { bindings, sets, inventories, outcomes } = this.#deps;
    if (cluster?.isPaused || binding?.isPaused) return DONE;
    this.forget({ namespace, name });
    outcomes.forgetCluster({ namespace, name });
    const pruned = sets
      .inNamespace(namespace)
      .filter((set) => set.options.prune && binding && holds(binding, set.name));
    for (const set of pruned) await inventories.delete(set, name, signal);
    if (binding) await bindings.delete(binding, signal);
    this.#wakeLeaving(namespace);
    return DONE;
  }

  /** Discards earlier refusals: the cluster is a different one, or is reached in a different way. */
  forget({ namespace, name }: NamespacedName): void {
    const { attempts, repairs, pruning, versions } = this.#deps;
    const key = `${namespace}/${name}`;
    attempts.forget(key);
    repairs.forget(key);
    pruning.forget(key);
    versions.forget(key);
  }

  #wakeLeaving(namespace: string): void {
    const leaving = (set: ResourceSet): boolean => isLeaving(set);
    for (const set of this.#deps.sets.inNamespace(namespace).filter(leaving)) this.#deps.wakeSet(set);
  }
}
