import type { Clock } from '#kit/std';
import type { DeliveryReport, Handover, TargetObservation } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import { countsAfter } from '../../domain/deployment/counts-after.ts';
import type { Deployment, DeploymentId } from '../../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import { reduceConnection, reduceInventory } from '../../domain/deployment/reduce-inventory.ts';
import { type RowChange, reduceReport } from '../../domain/deployment/reduce-report.ts';
import { believedRevision, reduceAhead, reduceFencedAhead } from '../../domain/deployment/revision-ahead.ts';
import type { Trigger } from '../../domain/deployment/trigger.ts';
import { changed } from '../../domain/deployment/with-status.ts';
import type { Happening } from '../../domain/rollout/machine/happening.ts';
import type { UnitOfWork, Units } from '../ports.ts';
import { requestPlan } from '../wake-pipeline.ts';
import { maskNews } from './mask-news.ts';
import { saveDeployment } from './save-deployment.ts';

export interface StoreObservationsDeps {
  readonly units: Units;
  readonly clock: Clock;
  /** When the platform was restored from a backup, if it was. */
  readonly restoredAt?: number | undefined;
}

/** Stores observations with all their effects, in one unit of work. */
export function storeObservations({ units, clock, restoredAt }: StoreObservationsDeps) {
  return async (news: readonly TargetObservation[], signal: AbortSignal): Promise<void> => {
    const named = new Set(news.flatMap(namesOf).map(({ deployment }) => deployment));
    const take = (unit: UnitOfWork) => takeReports(unit, { news, now: clock.now(), restoredAt }, signal);
    await units.writeOf([...named], take, signal);
  };
}

/** Takes any number of news in one unit of work: rows, counts, rollout events and triggers are written together. */
async function takeReports(
  unit: UnitOfWork,
  {
    news,
    now,
    restoredAt,
  }: { readonly news: readonly TargetObservation[]; readonly now: number; readonly restoredAt?: number | undefined },
  signal: AbortSignal,
): Promise<void> {
  const desks = await openDesks(unit, news, signal);
  const deployments = [...desks.values()].map(({ deployment }) => deployment);
  for (const each of await maskNews(unit, { news, deployments }, signal)) hear(desks, each, { now, restoredAt });
  for (const desk of desks.values()) await keep(unit, { desk, now }, signal);
}

/** The state of one deployment while its news are applied. */
interface Desk {
  readonly deployment: Deployment;
  readonly before: ReadonlyMap<TargetId, DeploymentTarget>;
  readonly rows: Map<TargetId, DeploymentTarget>;
  readonly gone: Set<TargetId>;
  readonly happenings: Happening[];
  readonly triggers: Trigger[];
}

type Desks = ReadonlyMap<DeploymentId, Desk>;

async function openDesks(unit: UnitOfWork, news: readonly TargetObservation[], signal: AbortSignal): Promise<Desks> {
  const named = Map.groupBy(news.flatMap(namesOf), ({ deployment }) => deployment);
  const whole = [...new Set(news.flatMap(wholeTarget))];
  const rows = new Map<DeploymentId, Map<TargetId, DeploymentTarget>>();
  const lay = (found: readonly DeploymentTarget[]): void => {
    for (const row of found) {
      const its = rows.get(row.deployment) ?? new Map<TargetId, DeploymentTarget>();
      rows.set(row.deployment, its.set(row.target, row));
    }
  };
  const look = async ([deployment, its]: readonly [DeploymentId, readonly { readonly target: TargetId }[]]) =>
    lay(await unit.targets.some(deployment, [...new Set(its.map(({ target }) => target))], signal));
  const [found] = await Promise.all([
    unit.deployments.getAll([...named.keys()], signal),
    whole.length > 0 ? unit.targets.onTargets(whole, signal).then(lay) : undefined,
    ...[...named].map(look),
  ]);
  const unnamed = [...rows.keys()].filter((deployment) => !named.has(deployment));
  const others = unnamed.length > 0 ? await unit.deployments.getAll(unnamed, signal) : [];
  return new Map(
    [...found, ...others].map((deployment): [DeploymentId, Desk] => {
      const before = rows.get(deployment.uid) ?? new Map<TargetId, DeploymentTarget>();
      const its = { rows: new Map(before), gone: new Set<TargetId>(), happenings: [], triggers: [] };
      return [deployment.uid, { deployment, before, ...its }];
    }),
  );
}

function namesOf(news: TargetObservation): readonly { readonly deployment: DeploymentId; readonly target: TargetId }[] {
  if (news.about === 'report') return [news.report];
  // An inventory only counts for deployments that have a row for its target, whatever else it names.
  return news.about === 'handover' ? [news.handover] : [];
}

function wholeTarget(news: TargetObservation): readonly TargetId[] {
  if (news.about === 'connection') return [news.target];
  return news.about === 'inventory' ? [news.inventory.target] : [];
}

interface Hearing {
  readonly now: number;
  readonly restoredAt: number | undefined;
}

function hear(desks: Desks, news: TargetObservation, hearing: Hearing): void {
  const { now } = hearing;
  if (news.about === 'report') return hearOne(desks, news.report, hearing);
  if (news.about === 'handover') return hearHandover(desks, news.handover, hearing);
  const target = news.about === 'connection' ? news.target : news.inventory.target;
  for (const desk of desks.values()) {
    const row = desk.rows.get(target);
    if (row === undefined) continue;
    if (news.about === 'connection') {
      lay(desk, row, reduceConnection(row, news.isOnline, now));
      continue;
    }
    const revisions = { given: desk.deployment.revision, believed: believedRevision(desk.deployment, hearing) };
    const heard = reduceInventory(row, news.inventory, revisions, now);
    lay(desk, row, heard);
    if (heard.isRebuilt) desk.triggers.push({ kind: 'rebuilt', target });
    const holding = news.inventory.holdings.find(({ deployment }) => deployment === desk.deployment.uid);
    if (holding !== undefined) noteAhead(desk, { target, revision: holding.revision, believed: revisions.believed });
  }
}

function hearOne(desks: Desks, report: DeliveryReport, hearing: Hearing): void {
  const { now } = hearing;
  const desk = desks.get(report.deployment);
  const row = desk?.rows.get(report.target);
  if (desk === undefined || row === undefined) return;
  const { target, revision } = report;
  const believed = believedRevision(desk.deployment, hearing);
  if (revision > believed) return lay(desk, row, reduceAhead(row, revision, desk.deployment.revision, now));
  noteAhead(desk, { target, revision, believed });
  const heard = reduceReport(row, report, now);
  lay(desk, row, heard);
  const repairs = desk.deployment.spec.driftPolicy === 'repair';
  if (heard.hasDrifted === true && repairs) desk.triggers.push({ kind: 'drift', target: report.target });
}

function hearHandover(desks: Desks, handover: Handover, hearing: Hearing): void {
  const { now } = hearing;
  const { target, deployment, revision } = handover;
  const desk = desks.get(deployment);
  const row = desk?.rows.get(target);
  if (desk === undefined || row === undefined || row.order?.revision !== revision) return;
  const { order } = row;
  switch (handover.kind) {
    case 'accepted':
      if (order.state === 'sent') desk.rows.set(target, { ...row, order: { ...order, state: 'accepted' } });
      return;
    case 'offline':
      // The order stays as it is, and is sent again when the target is back.
      return lay(desk, row, reduceConnection(row, false, now));
    case 'fenced': {
      const believed = believedRevision(desk.deployment, hearing);
      if (handover.seen > believed) {
        return lay(desk, row, reduceFencedAhead(row, handover.seen, desk.deployment.revision, now));
      }
      return noteAhead(desk, { target, revision: handover.seen, believed });
    }
    case 'rejected':
    case 'unreachable': {
      const kind = handover.kind === 'rejected' ? 'rejected' : 'failed';
      return lay(desk, row, reduceReport(row, { kind, target, deployment, revision, message: handover.message }, now));
    }
  }
}

/** The platform was restored from a backup, and continues above the revisions that agents have seen. */
function noteAhead(
  { deployment, triggers }: Desk,
  { target, revision, believed }: { readonly target: TargetId; readonly revision: number; readonly believed: number },
): void {
  if (revision <= deployment.revision || revision > believed) return;
  const isTold = triggers.some((trigger) => trigger.kind === 'ahead' && trigger.revision >= revision);
  if (!isTold) triggers.push({ kind: 'ahead', target, revision });
}

function lay(desk: Desk, row: DeploymentTarget, { row: next, happenings }: RowChange): void {
  desk.happenings.push(...happenings);
  if (next === undefined) {
    desk.rows.delete(row.target);
    desk.gone.add(row.target);
    return;
  }
  if (next === row) return;
  desk.rows.set(row.target, next);
  const isBack = !row.isOnline && next.isOnline;
  const isIdle = desk.deployment.rollout === undefined;
  if (isBack && isIdle && next.isOwed) desk.triggers.push({ kind: 'owed', targets: [row.target], by: 'fleetshift' });
}

interface Keeping {
  readonly desk: Desk;
  readonly now: number;
}

async function keep(unit: UnitOfWork, { desk, now }: Keeping, signal: AbortSignal): Promise<void> {
  const { deployment, before, rows, gone, happenings, triggers } = desk;
  const { uid, rollout } = deployment;
  const differing = [...rows.values()].filter((row) => before.get(row.target) !== row);
  const isHeard = rollout !== undefined && happenings.length > 0;
  // A deployment that is being deleted is planned again once it is off a target.
  const isEmptier = deployment.deletion !== undefined && rollout === undefined && gone.size > 0;
  const asked: readonly Trigger[] = isEmptier
    ? [...triggers, { kind: 'delete', by: deployment.deletion?.by ?? '' }]
    : triggers;
  // None of these depends on another's result, so they are issued together.
  await Promise.all([
    unit.targets.put(differing, signal),
    unit.targets.drop(uid, [...gone], signal),
    isHeard ? unit.rollouts.post({ deployment: uid, revision: rollout }, happenings, signal) : undefined,
    isHeard ? unit.deployments.wake(uid, signal) : undefined,
    requestPlan(unit, uid, { triggers: asked, now }, signal),
    differing.length + gone.size > 0 ? tell(unit, { desk, differing, now }, signal) : undefined,
  ]);
}

async function tell(
  unit: UnitOfWork,
  { desk, differing, now }: Keeping & { readonly differing: readonly DeploymentTarget[] },
  signal: AbortSignal,
): Promise<void> {
  const { deployment, before, gone } = desk;
  let { counts } = deployment.status;
  for (const row of differing) counts = countsAfter(counts, before.get(row.target), row);
  for (const target of gone) counts = countsAfter(counts, before.get(target), undefined);
  const after = changed(deployment, { status: { ...deployment.status, counts } }, now);
  // The next turn of the rollout announces its effects.
  const isTold = after === deployment || deployment.rollout !== undefined;
  const events = [
    { type: 'delivery.changed', deployment: after, targets: differing } as const,
    ...(isTold ? [] : [{ type: 'deployment.statusChanged', deployment: after } as const]),
  ];
  await saveDeployment(unit, { before: deployment, after, events, now }, signal);
}
