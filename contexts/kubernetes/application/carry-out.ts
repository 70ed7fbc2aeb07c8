import { applyWaves } from '../domain/apply-waves.ts';
import { definitionHealth } from '../domain/health/resource-health.ts';
import { identityOf, keyText } from '../domain/kube-object.ts';
import { type AppliedAnswer, applyObject } from './apply-object.ts';
import { type Comparison, compare } from './compare.ts';
import type { CarryOutDeps, DeliveryTask } from './delivery-task.ts';
import { inParallel } from './in-parallel.ts';
import type { InventoryTracker } from './inventory-tracker.ts';
import { prune } from './prune.ts';
import { summaryOf } from './summary.ts';
import { type PlannedObject, type Survey, survey } from './survey.ts';

export type Outcome =
  | { readonly kind: 'applied' }
  /** Permanent: retrying cannot help. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** Fails until something changes in the cluster or in the order. */
  | { readonly kind: 'failed'; readonly message: string }
  /** Retry: the remaining objects depend on work in progress. */
  | { readonly kind: 'waiting'; readonly message: string }
  /** A later revision was already seen. */
  | { readonly kind: 'fenced'; readonly seen: number }
  /** Another order replaced this one. */
  | { readonly kind: 'stopped' }
  /** Compared by dry run, nothing written; `changes` lists what would change. */
  | { readonly kind: 'observed'; readonly changes: readonly Comparison[] }
  | { readonly kind: 'released' };

const APPLIED: Outcome = { kind: 'applied' };
const STOPPED: Outcome = { kind: 'stopped' };

/**
 * Brings a cluster to the desired state. It may stop anywhere and run again: the inventory records an object before the
 * object is touched. A conflict that is visible up front prevents all writes.
 */
export async function carryOut(deps: CarryOutDeps, task: DeliveryTask, signal: AbortSignal): Promise<Outcome> {
  const { delivery, tracker, claims } = task;
  const { deployment, revision } = delivery;
  const seen = tracker.stored?.seen.revision ?? 0;
  if (revision < seen) return { kind: 'fenced', seen };
  const records = {
    find: tracker.find.bind(tracker),
    otherOwner: claims.claim.bind(claims, deployment),
  };
  const found = await survey(deps, { delivery, records }, signal);
  const isGuarded = task.saved !== undefined && found.kind === 'survey' && mayGoAhead(found, tracker);
  if (!isGuarded) await task.saved?.(signal);
  if (found.kind === 'rejected') return found;
  if (found.policy.mode === 'observe') {
    const changes = await compare(deps, { found, deployment, entries: tracker.entries }, signal);
    await tracker.save(true, signal);
    return { kind: 'observed', changes };
  }
  if (found.policy.mode === 'release') {
    for (const { key } of tracker.entries) tracker.forget(key);
    await tracker.save(true, signal);
    return { kind: 'released' };
  }
  const conflicts = found.planned.flatMap(({ step }) => (step.kind === 'conflict' ? [step.message] : []));
  if (conflicts.length > 0) return { kind: 'failed', message: summaryOf(conflicts) };
  const outcome = await bring(deps, { task, found, isGuarded }, signal);
  if (isGuarded) await task.saved?.(signal);
  await tracker.save(outcome.kind === 'applied', signal);
  return outcome;
}

/**
 * DECISION: when an order only changes the contents of objects that are as we left them, it is applied while the order
 * is still being saved. Each apply is conditional on the resource version that was seen. Normally the saved order
 * fences off an agent that has been replaced; here the condition does, because a write by another agent changes the
 * version. (ADR-0040)
 */
function mayGoAhead({ policy, planned, unserved }: Survey, tracker: InventoryTracker): boolean {
  const desired = new Set(planned.map(({ key }) => identityOf(key)));
  const isReplaced = ({ step, live, isUntouched }: PlannedObject): boolean =>
    step.kind === 'keep' || (step.kind === 'apply' && isUntouched && live?.metadata.resourceVersion !== undefined);
  const isSameSet = tracker.entries.every(({ key }) => desired.has(identityOf(key)));
  return policy.mode === 'manage' && unserved.length === 0 && isSameSet && planned.every(isReplaced);
}

interface Work {
  readonly task: DeliveryTask;
  readonly found: Survey;
  /** The order is not saved yet. */
  readonly isGuarded: boolean;
}

async function bring(deps: CarryOutDeps, work: Work, signal: AbortSignal): Promise<Outcome> {
  const { task, found } = work;
  const applied = await applyAll(deps, work, signal);
  if (applied !== undefined) return applied;
  const held = await prune(deps, { ...task, ...found, desired: found.planned }, signal);
  if (task.isOver()) return STOPPED;
  return held.length > 0 ? { kind: 'waiting', message: summaryOf(held) } : APPLIED;
}

/** `undefined` on success. Objects that were written are in the tracker in any case. */
async function applyAll(deps: CarryOutDeps, work: Work, signal: AbortSignal): Promise<Outcome | undefined> {
  const { task, found } = work;
  const { tracker, isOver, versions } = task;
  if (isOver()) return STOPPED;
  const todo = found.planned.filter(({ step }) => step.kind === 'apply');
  let isNews = false;
  for (const { key, step, sent } of todo) {
    if (step.kind === 'apply' && tracker.intend({ key, origin: step.origin, sent })) isNews = true;
  }
  if (isNews) await tracker.save(false, signal);
  const waits = found.planned.flatMap(({ step }) => (step.kind === 'wait' ? [step.message] : []));
  for (const wave of applyWaves(todo)) {
    const failures: string[] = [];
    await inParallel(wave.objects, deps.width, async (planned) => {
      if (isOver()) return;
      const answer = await applyOne(deps, work, planned, signal);
      if (answer.kind === 'failed') failures.push(answer.message);
      if (answer.kind === 'waiting') waits.push(answer.message);
      if (answer.kind !== 'done') return;
      tracker.set(answer.entry);
      versions.set(identityOf(planned.key), answer.object.metadata.resourceVersion ?? '');
    });
    if (isOver()) return STOPPED;
    if (failures.length > 0) return { kind: 'failed', message: summaryOf(failures) };
    if (wave.waitsUntilEstablished) waits.push(...(await established(deps, wave.objects, signal)));
    if (waits.length > 0) break;
  }
  const unserved = found.unserved.map(({ apiVersion, kind }) => `${apiVersion}/${kind} is not served yet`);
  const open = [...waits, ...unserved];
  return open.length === 0 ? undefined : { kind: 'waiting', message: summaryOf(open) };
}

async function applyOne(
  { cluster }: CarryOutDeps,
  { task, found: { policy }, isGuarded }: Work,
  planned: PlannedObject,
  signal: AbortSignal,
): Promise<AppliedAnswer> {
  const answer = await applyObject({ cluster, policy, isGuarded }, planned, signal);
  if (answer.kind !== 'changed') return answer;
  // Saving the order tells who changed the object: if the save succeeds, this agent still owns the target.
  await task.saved?.(signal);
  return await applyObject({ cluster, policy }, planned, signal);
}

async function established(
  deps: CarryOutDeps,
  planned: readonly PlannedObject[],
  signal: AbortSignal,
): Promise<string[]> {
  const late: string[] = [];
  await inParallel(planned, deps.width, async ({ key }) => {
    for (const ms of deps.looksMs) {
      const object = await deps.cluster.get(key, signal);
      if (object && definitionHealth({ object, pods: [], events: [] }).state === 'Available') return;
      await deps.sleep(ms, signal);
    }
    late.push(`${keyText(key)} is not established yet`);
  });
  return late;
}
