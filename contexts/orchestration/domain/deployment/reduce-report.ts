import { assertNever } from '#kit/std';
import type { DeliveryReport } from '#protocol/delivery';
import type { RolloutEvent } from '../rollout/machine/rollout-event.ts';
import type { DeploymentTarget } from './deployment-target.ts';
import { mayHave, UNSURE_HASH } from './order-of-target.ts';

/** The outcome of a report or event about one target. */
export interface RowChange {
  /** The very same object when nothing changed; `undefined` once nothing of the deployment is left on the target. */
  readonly row: DeploymentTarget | undefined;
  /** For the rollout of the revision that the report is about. */
  readonly rolloutEvents: readonly RolloutEvent[];
  /** The target began to differ from what was delivered. */
  readonly hasDrifted?: boolean;
}

type ReportOf<Kind extends DeliveryReport['kind']> = Extract<DeliveryReport, { kind: Kind }>;

/** Applies an agent's report about one deployment on its target. Outdated and repeated reports change nothing. */
export function reduceReport(row: DeploymentTarget, report: DeliveryReport, now: number): RowChange {
  switch (report.kind) {
    case 'applied':
      return reduceApplied(row, report, now);
    case 'removed':
      return reduceRemoved(row, report, now);
    case 'failed':
    case 'rejected':
      return reduceFailure(row, report, now);
    case 'health':
      return reduceHealth(row, report, now);
    case 'drift':
      return reduceDrift(row, report, now);
    default:
      return assertNever(report, 'report');
  }
}

/** A report for an older revision only updates what is on the target: the order sent since has not ended. */
function reduceApplied(row: DeploymentTarget, { revision, hash, target }: ReportOf<'applied'>, now: number): RowChange {
  const { order, applied } = row;
  if (revision < (applied?.revision ?? 0)) return unchanged(row);
  const isEnd = order?.kind === 'deliver' && order.revision === revision && order.hash === hash;
  const isKnown = applied?.revision === revision && applied.hash === hash;
  if (!isEnd && isKnown) return unchanged(row);
  const health =
    row.healthRevision < revision ? ({ health: 'Unknown', healthRevision: revision, healthMessage: '' } as const) : {};
  const has = { ...row, ...health, applied: { revision, hash }, drift: [], updateTime: now };
  if (!isEnd && order !== undefined) return { row: has, rolloutEvents: [] };
  const rolloutEvents: readonly RolloutEvent[] = [{ kind: 'delivered', target, changed: true, revision }];
  const end = isStillLate(has, revision) ? {} : { failure: undefined, isOwed: false };
  return { row: { ...has, order: undefined, ...end }, rolloutEvents };
}

/**
 * The target missed its deadline before it became available with that revision; having the content does not make it
 * available.
 */
function isStillLate({ failure, health, healthRevision }: DeploymentTarget, revision: number): boolean {
  const isOfIt = failure?.reason === 'ProgressDeadline' && failure.revision === revision;
  return isOfIt && !(health === 'Available' && healthRevision === revision);
}

function reduceRemoved(row: DeploymentTarget, { revision, target }: ReportOf<'removed'>, now: number): RowChange {
  const { order, applied, isPlaced } = row;
  const isEnd = order?.kind === 'remove' && order.revision === revision;
  const isStray = order === undefined && !isPlaced && revision >= (applied?.revision ?? 0);
  if (!isEnd && !isStray) return unchanged(row);
  const rolloutEvents: readonly RolloutEvent[] = [{ kind: 'removed', target }];
  if (!isPlaced) return { row: undefined, rolloutEvents };
  const empty = { applied: undefined, order: undefined, failure: undefined, drift: [], isOwed: false };
  return {
    row: { ...row, ...empty, health: 'Unknown', healthRevision: 0, healthMessage: '', updateTime: now },
    rolloutEvents,
  };
}

function reduceFailure(row: DeploymentTarget, report: ReportOf<'failed' | 'rejected'>, now: number): RowChange {
  const { order } = row;
  const { revision, message, target } = report;
  if (order?.revision !== revision) return unchanged(row);
  const isRemoval = order.kind === 'remove';
  const isRejected = report.kind === 'rejected';
  const reason = isRemoval ? 'RemoveFailed' : isRejected ? 'Rejected' : 'DeliveryFailed';
  const kind = isRemoval ? 'removeFailed' : isRejected ? 'rejected' : 'deliveryFailed';
  // A rejected order changed nothing; one that failed half way may have left anything.
  const applied = isRejected ? row.applied : mayHave({ ...row, order: { ...order, state: 'sent', hash: UNSURE_HASH } });
  const failure = { reason, message, revision } as const;
  return {
    row: { ...row, order: undefined, applied, failure, updateTime: now },
    rolloutEvents: [{ kind, target, message }],
  };
}

function reduceHealth(row: DeploymentTarget, report: ReportOf<'health'>, now: number): RowChange {
  const { revision, health, message, target } = report;
  if (revision < row.healthRevision) return unchanged(row);
  const isSame = row.health === health && row.healthMessage === message && row.healthRevision === revision;
  if (isSame) return unchanged(row);
  const { failure } = row;
  // It missed its deadline, but is available after all.
  const isMended = health === 'Available' && failure?.revision === revision && row.applied?.revision === revision;
  const next = { ...row, health, healthRevision: revision, healthMessage: message, updateTime: now };
  const isTold = row.healthRevision === revision && meaningOf(row.health) === meaningOf(health);
  const says = health === 'Degraded' || health === 'Progressing';
  return {
    row: isMended ? { ...next, failure: undefined, isOwed: false } : next,
    rolloutEvents: isTold
      ? []
      : [{ kind: 'healthChanged', target, health, revision, ...(says && message && { message }) }],
  };
}

/** To a rollout a target that is on its way is as one of unknown health: not available, and nothing has failed. */
function meaningOf(health: DeploymentTarget['health']): DeploymentTarget['health'] {
  return health === 'Progressing' ? 'Unknown' : health;
}

/** While an order is under way, differences are expected. */
function reduceDrift(row: DeploymentTarget, { revision, objects }: ReportOf<'drift'>, now: number): RowChange {
  const isOld = row.applied === undefined || revision < row.applied.revision || row.order !== undefined;
  const drift = [...objects].sort((a, b) => (a < b ? -1 : 1));
  if (isOld || JSON.stringify(drift) === JSON.stringify(row.drift)) return unchanged(row);
  return { row: { ...row, drift, updateTime: now }, rolloutEvents: [], hasDrifted: drift.length > 0 };
}

function unchanged(row: DeploymentTarget): RowChange {
  return { row, rolloutEvents: [] };
}
