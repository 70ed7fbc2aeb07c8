import type { ResourceEntry, SetEntry } from '../domain/binding.ts';
import { resourceEntryOf } from '../domain/binding.ts';
import type { Cluster } from '../domain/cluster.ts';
import type { Failure } from '../domain/failure.ts';
import type { ManifestObject } from '../domain/manifest.ts';
import { needsApply } from '../domain/needs-apply.ts';
import { type ResourceRef, type ResourceSet, STRATEGIES, type Strategy, showRef } from '../domain/resource-set.ts';
import type { Attempts } from './attempts.ts';
import type { FoundResource, Resources } from './ports.ts';
import type { Schedule } from './schedule.ts';

/** A resource that has to be applied to the cluster now. */
export interface Step {
  readonly resource: FoundResource;
  readonly objects: readonly ManifestObject[];
  readonly hash: string;
  /** The content was already applied; this only repairs drift. */
  readonly isRepair: boolean;
  /** It was tried before, so its objects likely exist. */
  readonly isKnown: boolean;
}

/** State of a set in a cluster: what to do, what is wrong, and when to check again. */
export interface Survey {
  readonly set: ResourceSet;
  readonly strategy: Strategy | undefined;
  readonly found: readonly FoundResource[];
  readonly steps: readonly Step[];
  readonly failures: readonly Failure[];
  /** Resources that cannot be read. */
  readonly unreadable: readonly ResourceEntry[];
  readonly againMs: number;
}

export interface SurveyDeps {
  readonly resources: Resources;
  readonly attempts: Attempts;
  readonly repairs: Schedule;
}

/** The informer does not watch Secrets of the wrong type, so their creation has to be polled for. */
const LOOK_FOR_SECRET_MS = 60_000;

interface Subject {
  readonly set: ResourceSet;
  readonly cluster: Cluster;
  readonly entry: SetEntry | undefined;
}

/** The result for one resource. */
type Finding = Partial<Record<'found', FoundResource>> &
  Partial<Record<'step', Step>> &
  Partial<Record<'failure', Failure>> &
  Partial<Record<'unreadable', ResourceRef>> & { readonly againMs?: number };

export async function surveySet(deps: SurveyDeps, subject: Subject, signal: AbortSignal): Promise<Survey> {
  const { set, cluster } = subject;
  const strategy = STRATEGIES.find((each) => each === set.strategy);
  const repair = repairOf(deps, { set, cluster, strategy });
  const findings = await Promise.all(
    set.resources.map((ref) => surveyResource(deps, { ...subject, ref, strategy, isRepairDue: repair.isDue }, signal)),
  );
  return {
    set,
    strategy,
    found: findings.flatMap(({ found }) => found ?? []),
    steps: findings.flatMap(({ step }) => step ?? []),
    failures: findings.flatMap(({ failure }) => failure ?? []),
    unreadable: findings.flatMap(({ unreadable }) => (unreadable ? { ...unreadable, applied: false } : [])),
    againMs: Math.min(repair.againMs, ...findings.map(({ againMs = Infinity }) => againMs)),
  };
}

/** With ApplyOnce drift is not repaired. */
function repairOf(
  { repairs }: SurveyDeps,
  { set, cluster, strategy }: Omit<Subject, 'entry'> & { readonly strategy: Strategy | undefined },
): { readonly isDue: boolean; readonly againMs: number } {
  const everyMs = set.options.driftRepairMs;
  if (everyMs === undefined || strategy !== 'Reconcile') return { isDue: false, againMs: Infinity };
  const againMs = repairs.dueIn(`${cluster.namespace}/${cluster.name}`, set.name, everyMs);
  return { isDue: againMs === 0, againMs: againMs === 0 ? everyMs : againMs };
}

interface OneSubject extends Subject {
  readonly ref: ResourceRef;
  readonly strategy: Strategy | undefined;
  readonly isRepairDue: boolean;
}

async function surveyResource(deps: SurveyDeps, subject: OneSubject, signal: AbortSignal): Promise<Finding> {
  const { set, ref } = subject;
  try {
    const reading = await deps.resources.read(set.namespace, ref, signal);
    if (reading.kind === 'found') return await surveyFound(deps, { ...subject, resource: reading.resource }, signal);
    if (reading.kind === 'wrong-type') return { failure: { kind: 'wrong-secret-type', resource: ref } };
    const againMs = ref.kind === 'Secret' ? LOOK_FOR_SECRET_MS : Infinity;
    return { failure: { kind: 'resource-missing', resource: ref }, againMs };
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    return { failure: { kind: 'resource-unavailable', resource: ref, why }, againMs: 0 };
  }
}

async function surveyFound(
  deps: SurveyDeps,
  subject: OneSubject & { readonly resource: FoundResource },
  signal: AbortSignal,
): Promise<Finding> {
  const { set, strategy, resource, ref, isRepairDue } = subject;
  const entry = resourceEntryOf(subject.entry, ref);
  if (strategy === undefined) {
    return { found: resource, failure: { kind: 'strategy-unknown', strategy: set.strategy }, unreadable: ref };
  }
  const isNeeded = needsApply(strategy, entry, resource.hash ?? '');
  // With ApplyOnce a resource is not applied again, but it is reported if it can no longer be read.
  const isOther = entry?.hash !== resource.hash;
  if (!isNeeded && !isRepairDue && !isOther) return { found: resource };
  const unreadable = (why: string): Finding => ({
    found: resource,
    failure: { kind: 'resource-unreadable', resource: ref, why },
    unreadable: ref,
  });
  if (resource.hash === undefined) return unreadable('it has no data');
  const { hash, manifest } = await deps.resources.content(resource, signal);
  if (manifest.kind === 'unreadable') return unreadable(manifest.why);
  if (!isNeeded && !isRepairDue) return { found: resource };
  const step = { resource, objects: manifest.objects, hash, isRepair: !isNeeded, isKnown: entry?.hash !== undefined };
  return isNeeded ? unlessWaiting(deps, subject, step) : { found: resource, step };
}

/** A refused resource is retried when its backoff is over; its failure is reported until then. */
function unlessWaiting({ attempts }: SurveyDeps, { set, cluster, ref }: OneSubject, step: Step): Finding {
  const key = `${cluster.namespace}/${cluster.name}`;
  const waiting = attempts.waiting(key, attemptOf(set, ref), step.hash);
  if (waiting === undefined) return { found: step.resource, step };
  const { why, ms } = waiting;
  return {
    found: step.resource,
    failure: { kind: 'not-applied', cluster: cluster.name, resource: ref, why },
    againMs: ms,
  };
}

/** Includes the uid of the set, so that a recreated set starts over. */
export function attemptOf({ uid }: ResourceSet, ref: ResourceRef): string {
  return `${uid}/${showRef(ref)}`;
}
