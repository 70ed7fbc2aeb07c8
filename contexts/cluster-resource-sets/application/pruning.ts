import type { Cluster } from '../domain/cluster.ts';
import { isCrsError } from '../domain/crs-error.ts';
import { identityOf } from '../domain/describe-object.ts';
import type { Failure } from '../domain/failure.ts';
import { announced, type InventoryItem, sameInventory, settled, toPrune } from '../domain/inventory.ts';
import type { Attempts } from './attempts.ts';
import type { Inventories, Resources, WorkloadApi } from './ports.ts';
import { attemptOf, type Survey } from './survey-set.ts';

export interface PruningDeps {
  readonly inventories: Inventories;
  readonly resources: Resources;
  readonly attempts: Attempts;
}

interface Made {
  readonly api: WorkloadApi;
  readonly cluster: Cluster;
  readonly made: ReadonlyMap<string, string>;
}

/**
 * Deletes objects that left the manifest, for sets that ask for it and whose strategy is Reconcile. This requires
 * complete knowledge of what is wanted: while a resource is missing, unreadable or refused, nothing is deleted.
 */
export class Pruning {
  readonly #deps: PruningDeps;
  /** The last settled inventory of a set in a cluster, so that no request is sent if nothing changed. */
  readonly #settled = new Map<string, Map<string, string>>();

  constructor(deps: PruningDeps) {
    this.#deps = deps;
  }

  /** Whether pruning is due although nothing has to be applied, and the last failure. */
  state(survey: Survey, cluster: Cluster): { isDue: boolean; failure?: Failure; againMs: number } {
    const idle = { isDue: false, againMs: Infinity };
    if (!isPruned(survey) || this.#isSettled(survey, cluster)) return idle;
    const waiting = this.#deps.attempts.waiting(keyOf(cluster), pruneAttempt(survey), signatureOf(survey));
    if (waiting !== undefined) {
      return {
        isDue: false,
        failure: { kind: 'not-pruned', cluster: cluster.name, why: waiting.why },
        againMs: waiting.ms,
      };
    }
    return { ...idle, isDue: survey.failures.length === 0 };
  }

  /** Called before anything is created: records the objects that may become ours. */
  async announce(survey: Survey, cluster: Cluster, signal: AbortSignal): Promise<void> {
    if (!isPruned(survey) || this.#isSettled(survey, cluster)) return;
    const { inventories } = this.#deps;
    const before = await inventories.read(survey.set, cluster, signal);
    const next = announced(before, await this.#wanted(survey, signal));
    if (!sameInventory(before, next)) await inventories.write(survey.set, cluster, next, signal);
  }

  async prune(survey: Survey, { api, cluster, made }: Made, signal: AbortSignal): Promise<void> {
    if (!isPruned(survey) || (this.#isSettled(survey, cluster) && made.size === 0)) return;
    const { inventories, attempts } = this.#deps;
    const { set } = survey;
    const before = await inventories.read(set, cluster, signal);
    const wanted = await this.#wanted(survey, signal);
    const isWhole = survey.failures.length === 0 && !this.#hasRefusals(survey, cluster);
    if (!isWhole) {
      const known = settled(before, announced(before, wanted).items, made);
      if (!sameInventory(before, known)) await inventories.write(set, cluster, known, signal);
      return;
    }
    try {
      for (const item of toPrune(before, wanted)) await api.delete({ ...item, uid: item.uid ?? '' }, signal);
    } catch (error) {
      if (!isCrsError(error, 'OBJECT_NOT_APPLIED')) throw error;
      attempts.failed(keyOf(cluster), pruneAttempt(survey), { hash: signatureOf(survey), why: error.message });
      return;
    }
    const next = settled(before, wanted, made);
    if (!sameInventory(before, next)) await inventories.write(set, cluster, next, signal);
    attempts.succeeded(keyOf(cluster), pruneAttempt(survey));
    const ofCluster = this.#settled.get(keyOf(cluster)) ?? new Map<string, string>();
    this.#settled.set(keyOf(cluster), ofCluster.set(set.name, signatureOf(survey)));
  }

  forget(cluster: string): void {
    this.#settled.delete(cluster);
  }

  #isSettled(survey: Survey, cluster: Cluster): boolean {
    return this.#settled.get(keyOf(cluster))?.get(survey.set.name) === signatureOf(survey);
  }

  #hasRefusals({ set, steps }: Survey, cluster: Cluster): boolean {
    const { attempts } = this.#deps;
    return steps.some(
      ({ resource, hash }) => attempts.waiting(keyOf(cluster), attemptOf(set, resource), hash) !== undefined,
    );
  }

  async #wanted({ found }: Survey, signal: AbortSignal): Promise<readonly InventoryItem[]> {
    const contents = await Promise.all(found.map((resource) => this.#deps.resources.content(resource, signal)));
    return contents.flatMap(({ manifest }) => (manifest.kind === 'objects' ? manifest.objects.map(identityOf) : []));
  }
}

function isPruned({ set, strategy }: Survey): boolean {
  return set.options.prune && strategy === 'Reconcile';
}

function keyOf({ namespace, name }: Cluster): string {
  return `${namespace}/${name}`;
}

function pruneAttempt({ set }: Survey): string {
  return `${set.uid}/prune`;
}

/** Identifies the resources and their contents. */
function signatureOf({ set, found }: Survey): string {
  return JSON.stringify([set.uid, found.map(({ kind, name, hash = '' }) => [kind, name, hash])]);
}
