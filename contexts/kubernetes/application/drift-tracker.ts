import { separatePolicy } from '../domain/delivery-policy.ts';
import { appliedState, type Drift, driftOf, heldHash } from '../domain/drift.ts';
import { driftStep, type Repair, USUAL_REPAIRS } from '../domain/drift-repair.ts';
import { forApply, patternsFor } from '../domain/ignore-fields.ts';
import { identityOf, type KubeObject } from '../domain/kube-object.ts';
import type { AcceptedOrder } from '../domain/order.ts';
import type { DriftCandidate } from './assess.ts';
import { inParallel } from './in-parallel.ts';
import type { ClusterApi, Discovery, ObservedObject } from './ports.ts';
import { boundedList } from './summary.ts';
import { desiredNow } from './survey.ts';

export interface DriftDeps {
  readonly cluster: ClusterApi;
  readonly discovery: Discovery;
  readonly width: number;
}

interface Finding {
  /** The version of the object that was compared. */
  readonly seen: string;
  /** `undefined` if the object is as applied after all. */
  readonly line: string | undefined;
  readonly isToRepair: boolean;
}

export interface DriftInput {
  readonly candidates: readonly DriftCandidate[];
  readonly order: AcceptedOrder;
  readonly now: number;
}

/** Differences found in one deployment, and the repairs made. Each version of an object is compared once. */
export class DriftTracker {
  readonly #findings = new Map<string, Finding>();
  readonly #repairs = new Map<string, readonly Repair[]>();
  /** Repairs that were decided but not made yet. They count once the repair was attempted. */
  readonly #planned = new Map<string, readonly Repair[]>();

  /**
   * Candidates that have not been compared in their current version, or that need repair. Findings of objects that are no
   * longer candidates are dropped.
   */
  open(candidates: readonly DriftCandidate[]): DriftCandidate[] {
    const still = new Set(candidates.map(({ entry }) => identityOf(entry.key)));
    for (const identity of this.#findings.keys()) if (!still.has(identity)) this.#findings.delete(identity);
    return candidates.filter(({ entry, observedObject }) => {
      const finding = this.#findings.get(identityOf(entry.key));
      return finding === undefined || finding.isToRepair || finding.seen !== versionOf(observedObject);
    });
  }

  /** One line for each object that differs; sorted and bounded. */
  get lines(): readonly string[] {
    return boundedList([...this.#findings.values()].flatMap(({ line }) => (line === undefined ? [] : [line])));
  }

  /** By identity. */
  get toRepair(): ReadonlySet<string> {
    return new Set([...this.#findings].flatMap(([identity, { isToRepair }]) => (isToRepair ? [identity] : [])));
  }

  /** Asks the server, because the watch may be stale. */
  async compare(deps: DriftDeps, { candidates, order, now }: DriftInput, signal: AbortSignal): Promise<void> {
    const separated = separatePolicy(order.documents);
    if (separated.kind === 'fault') return;
    const desired = await desiredNow(deps.discovery, { ...order, documents: separated.documents }, signal);
    if (desired.kind === 'fault') return;
    const objects = new Map(desired.objects.map(({ key, object }) => [identityOf(key), object]));
    await inParallel(candidates, deps.width, async (candidate) => {
      const { key } = candidate.entry;
      const identity = identityOf(key);
      const object = objects.get(identity);
      // Its kind is no longer served. The next run of the order reports this.
      if (object === undefined) return;
      const patterns = patternsFor(object, separated.policy.ignoreFields);
      const drift = await driftNow(deps.cluster, { ...candidate, object, patterns }, signal);
      const policy = { driftPolicy: order.driftPolicy, ...USUAL_REPAIRS };
      const step = driftStep({ key, drift, policy, repairs: this.#repairs.get(identity) ?? [], now });
      this.#planned.set(identity, step.repairs);
      const line = step.kind === 'none' ? undefined : step.message;
      this.#findings.set(identity, {
        seen: versionOf(candidate.observedObject),
        line,
        isToRepair: step.kind === 'repair',
      });
    });
  }

  /** The planned repairs were made, or tried and refused. */
  repairsAttempted(): void {
    for (const [identity, repairs] of this.#planned) this.#repairs.set(identity, repairs);
    this.#planned.clear();
  }

  /** False once others have changed the object back too often. */
  mayRepair(identity: string, now: number): boolean {
    const recent = (this.#repairs.get(identity) ?? []).filter(({ time }) => now - time < USUAL_REPAIRS.windowMs);
    return Map.groupBy(recent, ({ what }) => what)
      .values()
      .every((same) => same.length < USUAL_REPAIRS.maxRepairs);
  }

  /** A new order applies everything again. */
  clear(): void {
    this.#findings.clear();
    this.#planned.clear();
  }
}

interface ComparedCandidate extends DriftCandidate {
  readonly object: KubeObject;
  readonly patterns: ReturnType<typeof patternsFor>;
}

async function driftNow(
  cluster: ClusterApi,
  { entry, object, patterns }: ComparedCandidate,
  signal: AbortSignal,
): Promise<Drift> {
  const live = await cluster.get(entry.key, signal);
  if (live === undefined) return { kind: 'deleted' };
  if (live.metadata.uid !== entry.uid) return { kind: 'replaced' };
  if (heldHash(live, patterns) === entry.held) return { kind: 'none' };
  const answer = await cluster.apply(forApply(object, live, patterns), { force: true, dryRun: true }, signal);
  // If the server refuses the dry run, the changed fields cannot be determined.
  if (answer.kind !== 'done') return { kind: 'changed', fields: [{ path: 'some of its fields', manager: undefined }] };
  return driftOf(appliedState(answer.object), live, patterns);
}

function versionOf(observedObject: ObservedObject | undefined): string {
  const { uid = '', resourceVersion = '' } = observedObject?.object.metadata ?? {};
  return observedObject === undefined ? 'gone' : `${uid} ${resourceVersion}`;
}
