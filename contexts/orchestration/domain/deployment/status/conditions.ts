import { OUTCOMES, STOP_REASONS } from '../../rollout/machine/phase.ts';
import type { Deployment } from '../deployment.ts';
import { CONDITION_TYPES, type Condition, type ConditionType } from './deployment-status.ts';

/** Reasons why a rollout cannot be planned. */
export const TROUBLE_REASONS = [
  /** The placement could not be resolved with certainty. */
  'PlacementUnsure',
  /** The manifest cannot be read or generated: its strategy threw, or is not registered any more. */
  'ManifestFailed',
  /** The rollout strategy threw. */
  'PlanFailed',
  /** It is off its targets and being deleted, and its manifest strategy has yet to clean up. */
  'CleanupPending',
] as const;
export type TroubleReason = (typeof TROUBLE_REASONS)[number];

/** Every reason that a condition of the type can have, whatever its status. */
export const CONDITION_REASONS = {
  Placed: ['Resolved', 'Unresolved', 'PlacementUnsure', 'RemovalHeld', 'TargetsMissing', 'NoTargets', 'Deleting'],
  Planned: ['Planned', 'NotPlannedYet', ...TROUBLE_REASONS],
  Progressing: [
    'RollingOut',
    'WaitingAtGate',
    'BudgetConflict',
    'NotPlannedYet',
    'NothingToDo',
    ...TROUBLE_REASONS,
    ...STOP_REASONS,
    ...OUTCOMES,
  ],
  Available: ['AllAvailable', 'SomeUnavailable', 'HealthUnknown', 'NoTargets', 'Unresolved'],
  Degraded: ['NoneDegraded', 'TargetsDegraded', 'TargetsFailed'],
  Drifted: ['NoneDrifted', 'TargetsDrifted'],
  Conflict: ['NoConflict', 'BudgetConflict', 'RevisionAhead'],
  Paused: ['NotPaused', ...STOP_REASONS],
} as const satisfies Readonly<Record<ConditionType, readonly string[]>>;

type Finding<Type extends ConditionType> = {
  readonly status: Condition['status'];
  readonly reason: (typeof CONDITION_REASONS)[Type][number];
  readonly message: string;
};

/**
 * One condition of each type, in the order of `CONDITION_TYPES`. `lastTransitionTime` stays as long as the status does.
 */
export function conditionsOf(deployment: Deployment, now: number): readonly Condition[] {
  const before = new Map(deployment.status.conditions.map((condition) => [condition.type, condition]));
  return CONDITION_TYPES.map((type) => {
    const found = FINDERS[type](deployment);
    const last = before.get(type);
    const lastTransitionTime = last?.status === found.status ? last.lastTransitionTime : now;
    return { type, ...found, lastTransitionTime, observedGeneration: deployment.observedGeneration };
  });
}

const FINDERS: { readonly [Type in ConditionType]: (deployment: Deployment) => Finding<Type> } = {
  Placed: placed,
  Planned: planned,
  Progressing: progressing,
  Available: available,
  Degraded: degraded,
  Drifted: drifted,
  Conflict: conflict,
  Paused: paused,
};

function placed({ deletion, status: { placement, counts } }: Deployment): Finding<'Placed'> {
  const { kind, why = '', held, missing } = placement;
  if (deletion !== undefined) {
    return { status: 'False', reason: 'Deleting', message: 'The deployment is being removed from its targets.' };
  }
  if (kind === 'unresolved') {
    return { status: 'Unknown', reason: 'Unresolved', message: 'The placement has not been resolved yet.' };
  }
  if (kind === 'unsure') return { status: 'Unknown', reason: 'PlacementUnsure', message: why };
  if (held.length > 0) {
    const isOwn = held.every(({ why: reason }) => reason === 'MovesUnfinished');
    const awaited = isOwn ? 'earlier moves to end' : ':confirmRemoval';
    const message = `${targets(held.length)} would lose the deployment and wait for ${awaited}.`;
    return { status: 'False', reason: 'RemovalHeld', message };
  }
  if (missing.length > 0) {
    const message = `The workspace does not have ${missing.join(', ')}, which the placement names.`;
    return { status: 'False', reason: 'TargetsMissing', message };
  }
  if (counts.placed === 0) return { status: 'False', reason: 'NoTargets', message: 'The placement selects no target.' };
  return { status: 'True', reason: 'Resolved', message: `It is placed on ${targets(counts.placed)}.` };
}

function planned(deployment: Deployment): Finding<'Planned'> {
  const { trouble } = deployment.status;
  if (trouble !== undefined)
    return { status: 'False', reason: troubleReason(trouble.reason), message: trouble.message };
  if (isOutdated(deployment)) return notPlannedYet('Unknown');
  return { status: 'True', reason: 'Planned', message: 'The latest change is planned.' };
}

function progressing(deployment: Deployment): Finding<'Progressing'> {
  const { rollout: underWay, status } = deployment;
  const { rollout, trouble } = status;
  if (underWay !== undefined && rollout?.revision === underWay) return underWayFinding(rollout);
  if (trouble !== undefined)
    return { status: 'False', reason: troubleReason(trouble.reason), message: trouble.message };
  if (underWay !== undefined || isOutdated(deployment)) return notPlannedYet('True');
  if (rollout?.outcome === undefined) {
    return { status: 'False', reason: 'NothingToDo', message: 'Nothing has been rolled out yet.' };
  }
  return { status: 'False', reason: rollout.outcome, message: rollout.message ?? 'Its last rollout is over.' };
}

function underWayFinding(rollout: NonNullable<Deployment['status']['rollout']>): Finding<'Progressing'> {
  const { phase, reason = 'PausedByUser', message = 'It is paused.', waits } = rollout;
  if (phase === 'Paused') return { status: 'False', reason, message };
  const stuck = waits.find(({ kind }) => kind === 'conflict');
  if (stuck !== undefined) return { status: 'False', reason: 'BudgetConflict', message: stuck.message };
  const gate = waits.find(({ kind }) => kind === 'gate');
  if (gate !== undefined) return { status: 'True', reason: 'WaitingAtGate', message: gate.message };
  return { status: 'True', reason: 'RollingOut', message: `Revision ${rollout.revision} is being rolled out.` };
}

function available({ status: { placement, counts } }: Deployment): Finding<'Available'> {
  if (counts.placed === 0) {
    return placement.kind === 'unresolved'
      ? { status: 'Unknown', reason: 'Unresolved', message: 'The placement has not been resolved yet.' }
      : { status: 'True', reason: 'NoTargets', message: 'The deployment is placed on no target.' };
  }
  const message = `${counts.available} of ${targets(counts.placed)} have it and are available.`;
  if (counts.available === counts.placed) return { status: 'True', reason: 'AllAvailable', message };
  const isOnlyUnknown = counts.available + counts.unknown === counts.placed && counts.offline === 0;
  if (isOnlyUnknown && counts.underWay === 0) return { status: 'Unknown', reason: 'HealthUnknown', message };
  return { status: 'False', reason: 'SomeUnavailable', message };
}

function degraded({ status: { counts } }: Deployment): Finding<'Degraded'> {
  if (counts.degraded > 0) {
    return { status: 'True', reason: 'TargetsDegraded', message: `It is degraded on ${targets(counts.degraded)}.` };
  }
  if (counts.failed > 0) {
    const message = `The last change did not succeed on ${targets(counts.failed)}.`;
    return { status: 'True', reason: 'TargetsFailed', message };
  }
  return { status: 'False', reason: 'NoneDegraded', message: 'No target is known to be degraded.' };
}

function drifted({ spec: { driftPolicy }, status: { counts } }: Deployment): Finding<'Drifted'> {
  if (counts.drifted === 0) {
    return { status: 'False', reason: 'NoneDrifted', message: 'No target is known to differ from what was delivered.' };
  }
  const differ = counts.drifted === 1 ? '1 target differs' : `${counts.drifted} targets differ`;
  const unless = driftPolicy === 'repair' ? '' : '; with driftPolicy repair agents restore it';
  return { status: 'True', reason: 'TargetsDrifted', message: `${differ} from what was delivered${unless}.` };
}

function conflict({ rollout: underWay, status: { rollout, counts } }: Deployment): Finding<'Conflict'> {
  if (counts.ahead > 0) {
    const message = `The agents of ${targets(counts.ahead)} have seen a later revision than was issued here. If the platform lost changes, accept theirs with :acceptRevision.`;
    return { status: 'True', reason: 'RevisionAhead', message };
  }
  const stuck = underWay === undefined ? undefined : rollout?.waits.find(({ kind }) => kind === 'conflict');
  if (stuck === undefined)
    return { status: 'False', reason: 'NoConflict', message: 'The budget does not block the rollout.' };
  return { status: 'True', reason: 'BudgetConflict', message: `${stuck.message}; to unblock it: ${stuck.unblock}` };
}

function paused({ rolloutState, rollout: underWay, status: { rollout } }: Deployment): Finding<'Paused'> {
  if (underWay !== undefined && rollout?.phase === 'Paused' && rollout.revision === underWay) {
    const { reason = 'PausedByUser', message = 'It is paused.' } = rollout;
    return { status: 'True', reason, message };
  }
  if (rolloutState === 'paused') {
    return { status: 'True', reason: 'PausedByUser', message: 'No rollout begins anything new until it is resumed.' };
  }
  return { status: 'False', reason: 'NotPaused', message: 'The rollout is not paused.' };
}

/** Whether a plan is due that would look at what users asked for last. */
export function isOutdated({ generation, observedGeneration, status }: Deployment): boolean {
  return generation !== observedGeneration || status.awaitsPlan === true;
}

function notPlannedYet(status: Condition['status']) {
  return { status, reason: 'NotPlannedYet', message: 'The latest change is not planned yet.' } as const;
}

/** The list of reasons is closed: a reason written by a later release is reported as the most general one. */
function troubleReason(reason: string): TroubleReason {
  return TROUBLE_REASONS.find((known) => known === reason) ?? 'PlanFailed';
}

function targets(count: number): string {
  return count === 1 ? '1 target' : `${count} targets`;
}
