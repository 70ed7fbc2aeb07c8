import {
  type EntryChange,
  entryOf,
  ownerFor,
  type ResourceEntry,
  resourceEntryOf,
  type SetEntry,
  withRoom,
} from '../domain/binding.ts';
import { type Cluster, whyNotYet } from '../domain/cluster.ts';
import { selects } from '../domain/cluster-selection.ts';
import { CrsError, isCrsError } from '../domain/crs-error.ts';
import type { Failure } from '../domain/failure.ts';
import { kubeTime } from '../domain/kube-time.ts';
import { hasOurFinalizer, isAtWork, isSameRef, type ResourceSet, STRATEGIES } from '../domain/resource-set.ts';
import { type CarryOutDeps, carryOutSet } from './carry-out-set.ts';
import type { Outcomes } from './outcomes.ts';
import {
  type Bindings,
  type Clusters,
  DONE,
  type Next,
  type ResourceSets,
  type WorkloadApi,
  type WorkloadClusters,
} from './ports.ts';
import { type Survey, type SurveyDeps, surveySet } from './survey-set.ts';

export interface ClusterPassDeps extends SurveyDeps, CarryOutDeps {
  readonly sets: ResourceSets;
  readonly clusters: Clusters;
  readonly bindings: Bindings;
  readonly workloads: WorkloadClusters;
  readonly outcomes: Outcomes;
  /** How many sets are applied to a cluster concurrently. */
  readonly width: number;
}

interface Standing {
  readonly survey: Survey;
  readonly isDue: boolean;
  readonly failures: readonly Failure[];
  readonly againMs: number;
}

/** One pass over a cluster: applies what is due, and collects the changes to record and the failures. */
export class ClusterPass {
  readonly #deps: ClusterPassDeps;
  readonly #cluster: Cluster;
  readonly #entries = new Map<string, { readonly set: ResourceSet; readonly resources: ResourceEntry[] }>();
  readonly #underWay: (() => void)[] = [];
  #standings: readonly Standing[] = [];
  #unreachable: CrsError | undefined;
  /** Errors by set. A failed set is not retried in this pass, and other sets are not affected. */
  readonly #brokenOff = new Map<string, string>();

  constructor(deps: ClusterPassDeps, cluster: Cluster) {
    this.#deps = deps;
    this.#cluster = cluster;
  }

  /** Applies what is due now. Returns whether there was anything to do, and so another round is worthwhile. */
  async round(signal: AbortSignal): Promise<boolean> {
    const { outcomes, width } = this.#deps;
    const sets = this.#setsHere();
    this.#underWay.push(outcomes.begin(sets));
    const room = withRoom(
      this.#deps.bindings.get(this.#cluster),
      sets.map(({ name }) => name),
    );
    this.#standings = await Promise.all(sets.map((set) => this.#stand(set, room.has(set.name), signal)));
    const due = this.#standings.filter(({ isDue, survey: { set } }) => isDue && !this.#brokenOff.has(set.name));
    if (due.length === 0 || this.#unreachable !== undefined) return false;
    try {
      const api = await this.#connect(signal);
      const waiting = due.values();
      const lane = async (): Promise<void> => {
        for (const { survey } of waiting) await this.#carryOut(survey, api, signal);
      };
      await Promise.all(Array.from({ length: width }, lane));
    } catch (error) {
      if (!isCrsError(error, 'CLUSTER_UNREACHABLE')) throw error;
      this.#unreachable = error;
    }
    return true;
  }

  /** Whether sets are about to start here, so that recording can wait for them. */
  get isExpecting(): boolean {
    const cluster = this.#cluster;
    const sets = this.#deps.sets.inNamespace(cluster.namespace);
    return sets.some(
      (set) => !hasOurFinalizer(set) && !set.isDeleting && !set.isPaused && selects(set.selector, cluster),
    );
  }

  /** The changes to write into the binding, for all sets of the cluster. */
  get changes(): readonly EntryChange[] {
    return [...this.#entries.values()].map(({ set, resources }) => ({
      kind: 'bound',
      owner: ownerFor(set),
      resources,
      ...(set.options.prune && { forget: (ref) => !set.resources.some((each) => isSameRef(each, ref)) }),
    }));
  }

  /** Results of the sets that are done; sets with work left are omitted. */
  get verdicts(): readonly { readonly set: ResourceSet; readonly failures: readonly Failure[] }[] {
    const { name } = this.#cluster;
    return this.#standings.flatMap(({ survey: { set }, isDue, failures }) => {
      if (!isDue) return [{ set, failures }];
      const why = this.#brokenOff.get(set.name);
      if (why !== undefined) return [{ set, failures: [...failures, { kind: 'broken-off', cluster: name, why }] }];
      if (this.#unreachable === undefined) return [];
      const failure: Failure = { kind: 'cluster-unreachable', cluster: name, why: this.#unreachable.message };
      return [{ set, failures: [...failures, failure] }];
    });
  }

  get next(): Next {
    if (this.#unreachable !== undefined) {
      // Retrying is pointless: a change of the cluster object tells when it is ready.
      return whyNotYet(this.#cluster) === undefined ? { kind: 'retry' } : DONE;
    }
    if (this.#brokenOff.size > 0) return { kind: 'retry' };
    if (this.#standings.some(({ isDue }) => isDue)) return { kind: 'again', afterMs: 0 };
    const afterMs = Math.min(...this.#standings.map(({ againMs }) => againMs));
    if (afterMs === 0) return { kind: 'retry' };
    return afterMs === Infinity ? DONE : { kind: 'again', afterMs };
  }

  /** No more writes are made for any set. */
  end(): void {
    for (const end of this.#underWay.splice(0)) end();
  }

  #setsHere(): readonly ResourceSet[] {
    const cluster = this.#cluster;
    const sets = this.#deps.sets.inNamespace(cluster.namespace);
    const here = sets.filter((set) => isAtWork(set) && selects(set.selector, cluster));
    return here.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  async #stand(set: ResourceSet, hasRoom: boolean, signal: AbortSignal): Promise<Standing> {
    const cluster = this.#cluster;
    if (!hasRoom) {
      const why = 'its binding has no room for another set';
      return standingOf(set, [{ kind: 'broken-off', cluster: cluster.name, why }]);
    }
    const entry = this.#entryOf(set);
    if (this.#isSettled(set, entry)) {
      this.#entriesOf(set);
      return standingOf(set, []);
    }
    const survey = await surveySet(this.#deps, { set, cluster, entry }, signal);
    const written = this.#entriesOf(set);
    for (const { kind, name } of survey.unreadable) {
      const before = resourceEntryOf(entry, { kind, name });
      if (before?.applied === false && before.hash === undefined) continue;
      put(written, { kind, name, applied: false, lastAppliedTime: kubeTime(this.#deps.clock.now()) });
    }
    const pruning = this.#deps.pruning.state(survey, cluster);
    return {
      survey,
      isDue: survey.steps.length > 0 || pruning.isDue,
      failures: pruning.failure ? [...survey.failures, pruning.failure] : survey.failures,
      againMs: Math.min(survey.againMs, pruning.againMs),
    };
  }

  /** Fast path for nearly all sets: everything was already applied with its current content. */
  #isSettled({ namespace, resources, strategy, options }: ResourceSet, entry: SetEntry | undefined): boolean {
    if (options.prune || options.driftRepairMs !== undefined || !STRATEGIES.some((each) => each === strategy))
      return false;
    return resources.every((ref) => {
      const applied = resourceEntryOf(entry, ref);
      const hash = this.#deps.resources.peek(namespace, ref)?.hash;
      return applied?.applied === true && hash !== undefined && applied.hash === hash;
    });
  }

  async #connect(signal: AbortSignal): Promise<WorkloadApi> {
    const why = whyNotYet(this.#cluster);
    if (why !== undefined) throw new CrsError('CLUSTER_UNREACHABLE', why);
    return await this.#deps.workloads.connect(this.#cluster, signal);
  }

  async #carryOut(survey: Survey, api: WorkloadApi, signal: AbortSignal): Promise<void> {
    const { set } = survey;
    const cluster = this.#cluster;
    const written = this.#entriesOf(set);
    const place = { api, cluster, record: (entry: ResourceEntry) => this.#note(set, entry, written) };
    try {
      await carryOutSet(this.#deps, survey, place, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isCrsError(error, 'CLUSTER_UNREACHABLE')) throw error;
      this.#brokenOff.set(set.name, error instanceof Error ? error.message : String(error));
    }
    const { driftRepairMs } = set.options;
    if (driftRepairMs !== undefined && survey.steps.some(({ isRepair }) => isRepair)) {
      this.#deps.repairs.done(`${cluster.namespace}/${cluster.name}`, set.name, driftRepairMs);
    }
  }

  /** A repeated refusal of the same content is not recorded, otherwise every retry would write the binding. */
  #note(set: ResourceSet, entry: ResourceEntry, written: ResourceEntry[]): void {
    const before = resourceEntryOf(this.#entryOf(set), entry);
    if (!entry.applied && before?.applied === false && before.hash === entry.hash) return;
    put(written, entry);
  }

  /** The entry as it will be once the finished work is recorded. */
  #entryOf({ name }: ResourceSet): SetEntry | undefined {
    const recorded = entryOf(this.#deps.bindings.get(this.#cluster), name);
    const done = this.#entries.get(name)?.resources ?? [];
    if (recorded === undefined || done.length === 0) return recorded ?? { setName: name, resources: done };
    const others = recorded.resources.filter((resource) => !done.some((each) => isSameRef(each, resource)));
    return { setName: name, resources: [...others, ...done] };
  }

  #entriesOf(set: ResourceSet): ResourceEntry[] {
    const known = this.#entries.get(set.name);
    const resources = known?.set.uid === set.uid ? known.resources : [];
    this.#entries.set(set.name, { set, resources });
    return resources;
  }
}

/** For a set with nothing to do. */
function standingOf(set: ResourceSet, failures: readonly Failure[]): Standing {
  const nothing = { strategy: undefined, found: [], steps: [], unreadable: [], againMs: Infinity };
  return { survey: { set, failures, ...nothing }, isDue: false, failures, againMs: Infinity };
}

function put(entries: ResourceEntry[], entry: ResourceEntry): void {
  const index = entries.findIndex((each) => isSameRef(each, entry));
  if (index === -1) entries.push(entry);
  else entries[index] = entry;
}
