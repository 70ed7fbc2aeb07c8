import type { Clock } from '#kit/std';
import type { DeliveryReport, Handover, TargetObservation } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { Deployment, DeploymentId } from '../../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import { reduceConnection, reduceInventory } from '../../domain/deployment/reduce-inventory.ts';
import { type RowChange, reduceReport } from '../../domain/deployment/reduce-report.ts';
import { countsWith } from '../../domain/deployment/status/counts-after.ts';
import { believedRevision, reduceAhead, reduceFencedAhead } from '../../domain/deployment/status/revision-ahead.ts';
import { changed } from '../../domain/deployment/status/with-status.ts';
import type { Trigger } from '../../domain/deployment/trigger.ts';
import type { RolloutEvent } from '../../domain/rollout/machine/rollout-event.ts';
import type { UnitOfWork, Units } from '../ports.ts';
import { type OwesRemovals, oweRemovals } from '../removals/owe-removals.ts';
import { requestPlan } from '../wake-pipeline.ts';
import { maskObservations } from './mask-observations.ts';
import { saveDeployment } from './save-deployment.ts';

export interface StoreObservationsDeps {
  readonly units: Units;
  readonly clock: Clock;
  readonly owes: OwesRemovals;
  /** Since when a platform that was restored from a backup follows agents that are ahead of it, if it does. */
  readonly followsSince?: () => number | undefined;
}

/** Stores observations with all their effects in one unit of work: rows, counts, rollout events and triggers. */
export function storeObservations({ units, clock, owes, followsSince }: StoreObservationsDeps) {
  return async (observations: readonly TargetObservation[], signal: AbortSignal): Promise<void> => {
    const named = new Set(observations.flatMap(namesOf).map(({ deployment }) => deployment));
    const body = (unit: UnitOfWork) =>
      store(unit, observations, { now: clock.now(), owes, restoredAt: followsSince?.() }, signal);
    await units.writeOf([...named], body, signal);
  };
}

interface Moment {
  readonly now: number;
  readonly owes: OwesRemovals;
  readonly restoredAt: number | undefined;
}

async function store(
  unit: UnitOfWork,
  observations: readonly TargetObservation[],
  moment: Moment,
  signal: AbortSignal,
): Promise<void> {
  const [changes, online] = await Promise.all([
    loadChanges(unit, observations, signal),
    loadConnections(unit, observations, signal),
  ]);
  const deployments = [...changes.values()].map(({ deployment }) => deployment);
  for (const each of await maskObservations(unit, { observations, deployments }, signal))
    apply({ changes, online }, each, moment);
  for (const change of changes.values()) await save(unit, { change, ...moment }, signal);
}

/** The changes that observations make in one deployment. */
interface DeploymentChange {
  readonly deployment: Deployment;
  readonly before: ReadonlyMap<TargetId, DeploymentTarget>;
  readonly rows: Map<TargetId, DeploymentTarget>;
  readonly gone: Set<TargetId>;
  readonly rolloutEvents: RolloutEvent[];
  readonly triggers: Trigger[];
}

type Changes = ReadonlyMap<DeploymentId, DeploymentChange>;

interface Loaded {
  readonly changes: Changes;
  /** Of the targets whose connection may have changed. */
  readonly online: ReadonlyMap<TargetId, boolean>;
}

async function loadConnections(
  unit: UnitOfWork,
  observations: readonly TargetObservation[],
  signal: AbortSignal,
): Promise<Loaded['online']> {
  const ids = observations.flatMap((it) => (it.about === 'connection' && it.isOnline === undefined ? it.target : []));
  const found = ids.length === 0 ? [] : await unit.pool.find([...new Set(ids)], signal);
  return new Map(found.map(({ id, isOnline }) => [id, isOnline]));
}

async function loadChanges(
  unit: UnitOfWork,
  observations: readonly TargetObservation[],
  signal: AbortSignal,
): Promise<Changes> {
  const named = Map.groupBy(observations.flatMap(namesOf), ({ deployment }) => deployment);
  const whole = [...new Set(observations.flatMap(wholeTarget))];
  const rows = new Map<DeploymentId, Map<TargetId, DeploymentTarget>>();
  const add = (found: readonly DeploymentTarget[]): void => {
    for (const row of found) {
      const ofDeployment = rows.get(row.deployment) ?? new Map<TargetId, DeploymentTarget>();
      rows.set(row.deployment, ofDeployment.set(row.target, row));
    }
  };
  const load = async ([deployment, its]: readonly [DeploymentId, readonly { readonly target: TargetId }[]]) =>
    add(await unit.targets.some(deployment, [...new Set(its.map(({ target }) => target))], signal));
  const [found] = await Promise.all([
    unit.deployments.getAll([...named.keys()], signal),
    whole.length > 0 ? unit.targets.onTargets(whole, signal).then(add) : undefined,
    ...[...named].map(load),
  ]);
  const unnamed = [...rows.keys()].filter((deployment) => !named.has(deployment));
  const others = unnamed.length > 0 ? await unit.deployments.getAll(unnamed, signal) : [];
  return new Map(
    [...found, ...others].map((deployment): [DeploymentId, DeploymentChange] => {
      const before = rows.get(deployment.uid) ?? new Map<TargetId, DeploymentTarget>();
      const its = { rows: new Map(before), gone: new Set<TargetId>(), rolloutEvents: [], triggers: [] };
      return [deployment.uid, { deployment, before, ...its }];
    }),
  );
}

function namesOf(
  observation: TargetObservation,
): readonly { readonly deployment: DeploymentId; readonly target: TargetId }[] {
  if (observation.about === 'report') return [observation.report];
  // An inventory only counts for deployments that have a row for its target, whatever else it names.
  return observation.about === 'handover' ? [observation.handover] : [];
}

function wholeTarget(observation: TargetObservation): readonly TargetId[] {
  if (observation.about === 'connection') return [observation.target];
  return observation.about === 'inventory' ? [observation.inventory.target] : [];
}

function apply({ changes, online }: Loaded, observation: TargetObservation, moment: Moment): void {
  const { now } = moment;
  if (observation.about === 'report') return applyReport(changes, observation.report, moment);
  if (observation.about === 'handover') return applyHandover(changes, observation.handover, moment);
  const target = observation.about === 'connection' ? observation.target : observation.inventory.target;
  for (const change of changes.values()) {
    const row = change.rows.get(target);
    if (row === undefined) continue;
    if (observation.about === 'connection') {
      const isOnline = observation.isOnline ?? online.get(target) ?? row.isOnline;
      setRow(change, row, reduceConnection(row, isOnline, now));
      continue;
    }
    const revisions = { given: change.deployment.revision, believed: believedRevision(change.deployment, moment) };
    const reduced = reduceInventory(row, observation.inventory, revisions, now);
    setRow(change, row, reduced);
    if (reduced.isRebuilt) change.triggers.push({ kind: 'rebuilt', target });
    const holding = observation.inventory.holdings.find(({ deployment }) => deployment === change.deployment.uid);
    if (holding !== undefined) noteAhead(change, { target, revision: holding.revision, believed: revisions.believed });
  }
}

function applyReport(changes: Changes, report: DeliveryReport, moment: Moment): void {
  const { now } = moment;
  const change = changes.get(report.deployment);
  const row = change?.rows.get(report.target);
  if (change === undefined || row === undefined) return;
  const { target, revision } = report;
  const believed = believedRevision(change.deployment, moment);
  if (revision > believed) return setRow(change, row, reduceAhead(row, revision, change.deployment.revision, now));
  noteAhead(change, { target, revision, believed });
  const reduced = reduceReport(row, report, now);
  setRow(change, row, reduced);
  const repairs = change.deployment.spec.driftPolicy === 'repair';
  if (reduced.hasDrifted === true && repairs) change.triggers.push({ kind: 'drift', target: report.target });
}

function applyHandover(changes: Changes, handover: Handover, moment: Moment): void {
  const { now } = moment;
  const { target, deployment, revision } = handover;
  const change = changes.get(deployment);
  const row = change?.rows.get(target);
  if (change === undefined || row === undefined || row.order?.revision !== revision) return;
  const { order } = row;
  switch (handover.kind) {
    case 'accepted':
      if (order.state === 'sent') change.rows.set(target, { ...row, order: { ...order, state: 'accepted' } });
      return;
    case 'offline':
      // The order stays as it is, and is sent again when the target is back.
      return setRow(change, row, reduceConnection(row, false, now));
    case 'fenced': {
      const believed = believedRevision(change.deployment, moment);
      if (handover.seen > believed) {
        return setRow(change, row, reduceFencedAhead(row, handover.seen, change.deployment.revision, now));
      }
      return noteAhead(change, { target, revision: handover.seen, believed });
    }
    case 'rejected':
    case 'unreachable': {
      const kind = handover.kind === 'rejected' ? 'rejected' : 'failed';
      return setRow(
        change,
        row,
        reduceReport(row, { kind, target, deployment, revision, message: handover.message }, now),
      );
    }
  }
}

/** The platform was restored from a backup, and continues above the revisions that agents have seen. */
function noteAhead(
  { deployment, triggers }: DeploymentChange,
  { target, revision, believed }: { readonly target: TargetId; readonly revision: number; readonly believed: number },
): void {
  if (revision <= deployment.revision || revision > believed) return;
  const isAnnounced = triggers.some((trigger) => trigger.kind === 'ahead' && trigger.revision >= revision);
  if (!isAnnounced) triggers.push({ kind: 'ahead', target, revision });
}

function setRow(change: DeploymentChange, row: DeploymentTarget, { row: next, rolloutEvents }: RowChange): void {
  change.rolloutEvents.push(...rolloutEvents);
  if (next === undefined) {
    change.rows.delete(row.target);
    change.gone.add(row.target);
    return;
  }
  if (next === row) return;
  change.rows.set(row.target, next);
  const isBack = !row.isOnline && next.isOnline;
  const isIdle = change.deployment.rollout === undefined;
  if (isBack && isIdle && next.isOwed) change.triggers.push({ kind: 'owed', targets: [row.target], by: 'fleetshift' });
}

interface Saving {
  readonly change: DeploymentChange;
  readonly now: number;
  readonly owes: OwesRemovals;
}

async function save(unit: UnitOfWork, { change, now, owes }: Saving, signal: AbortSignal): Promise<void> {
  const { deployment, before, rows, gone, rolloutEvents, triggers } = change;
  const { uid, rollout } = deployment;
  const differing = [...rows.values()].filter((row) => before.get(row.target) !== row);
  const hasEvents = rollout !== undefined && rolloutEvents.length > 0;
  // A deployment that is being deleted is planned again once it is off a target.
  const isEmptier = deployment.deletion !== undefined && rollout === undefined && gone.size > 0;
  const asked: readonly Trigger[] = isEmptier
    ? [...triggers, { kind: 'delete', by: deployment.deletion?.by ?? '' }]
    : triggers;
  // None of these depends on another's result, so they are issued together.
  await Promise.all([
    unit.targets.put(differing, signal),
    gone.size > 0 ? unit.targets.drop(uid, [...gone], signal) : undefined,
    gone.size > 0 ? oweRemovals(unit, owes, { deployment, rows: rowsOf(before, gone), now }, signal) : undefined,
    hasEvents ? unit.rollouts.post({ deployment: uid, revision: rollout }, rolloutEvents, signal) : undefined,
    hasEvents ? unit.deployments.wake(uid, signal) : undefined,
    requestPlan(unit, uid, { triggers: asked, now }, signal),
    differing.length + gone.size > 0 ? saveStatus(unit, { change, differing, now }, signal) : undefined,
  ]);
}

function rowsOf(rows: ReadonlyMap<TargetId, DeploymentTarget>, ids: Iterable<TargetId>): readonly DeploymentTarget[] {
  return [...ids].flatMap((id) => rows.get(id) ?? []);
}

async function saveStatus(
  unit: UnitOfWork,
  { change, differing, now }: Omit<Saving, 'owes'> & { readonly differing: readonly DeploymentTarget[] },
  signal: AbortSignal,
): Promise<void> {
  const { deployment, before, gone } = change;
  const counts = countsWith(deployment.status.counts, before, { rows: differing, gone });
  const after = changed(deployment, { status: { ...deployment.status, counts } }, now);
  // The next turn of the rollout announces its effects.
  const isAnnounced = after === deployment || deployment.rollout !== undefined;
  const events = [
    { type: 'delivery.changed', deployment: after, targets: differing } as const,
    ...(isAnnounced ? [] : [{ type: 'deployment.statusChanged', deployment: after } as const]),
  ];
  await saveDeployment(unit, { before: deployment, after, events, now }, signal);
}
