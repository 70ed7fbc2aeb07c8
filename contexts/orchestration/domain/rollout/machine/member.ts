import type { Health } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';

/** How a target stands when the rollout first hears of it. */
export interface MemberFacts {
  readonly id: TargetId;
  readonly isOnline: boolean;
  readonly health: Health;
  /** The revision that the health was reported for; 0 when there was none. */
  readonly healthRevision: number;
  /** Whether it has something of the deployment on it. */
  readonly hasContent: boolean;
}

export const MEMBER_STATUSES = [
  /** Its turn has not come. */
  'Pending',
  /** Its turn has not come, and it is offline. */
  'Parked',
  /** Something was sent, and nothing heard. */
  'Delivering',
  /** It has the content, and is not available yet. */
  'Settling',
  'Removing',
  /** It is as it should be; or was, if its health says otherwise now. */
  'Done',
  'Failed',
  /** Left out since it was offline. */
  'Skipped',
  /** It left, and is nobody's business here. */
  'Dropped',
] as const;
export type MemberStatus = (typeof MEMBER_STATUSES)[number];

export const FAILURE_REASONS = [
  'DeliveryFailed',
  'Rejected',
  'GenerateFailed',
  'RemoveFailed',
  'ProgressDeadline',
  'OfflineDeadline',
  /** Its agent has seen a later revision than was ever given, and refuses this one. */
  'RevisionAhead',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

export interface Failure {
  readonly reason: FailureReason;
  readonly message: string;
  /** The count that it is part of: a resume begins a new one. */
  readonly era: number;
}

/** One target in a rollout. */
export interface Member extends MemberFacts {
  /** What is to become of it. One that is placed again while it is `Removing` gets the content once that is over. */
  readonly change: 'deliver' | 'remove';
  /** None for a target that had nothing to change. */
  readonly step?: number;
  readonly status: MemberStatus;
  /** Since when it has that status. */
  readonly since: number;
  /** Whether its agent said that it has what this rollout brings. */
  readonly hasNew: boolean;
  /** Its place among those with a deadline. */
  readonly deadline?: { readonly queue: 'progress' | 'offline'; readonly place: number };
  readonly failure?: Failure;
}

/** What counts and queues say of a member. They are kept up to date by comparing these, before and after. */
export interface Marks {
  readonly step: number | undefined;
  readonly queue: 'removals' | 'deliveries' | 'parked' | undefined;
  readonly isBroken: boolean;
  readonly isUnderWay: boolean;
  readonly isInChange: boolean;
  readonly isPlaced: boolean;
  readonly isUnavailable: boolean;
  readonly isUnhealthy: boolean;
  readonly isOwed: boolean;
}

export function marksOf(member: Member): Marks {
  const { change, status, step } = member;
  const isPlaced = change === 'deliver' && status !== 'Dropped';
  const isInChange = status === 'Delivering' || status === 'Settling';
  const isDown = isPlaced && member.hasContent && !isWell(member);
  return {
    step: status === 'Dropped' ? undefined : step,
    queue: queueOf(member),
    isBroken: status === 'Pending' && isDown && member.health === 'Degraded',
    isUnderWay: isInChange || status === 'Removing',
    isInChange,
    isPlaced,
    isUnavailable: isInChange || isDown,
    isUnhealthy: isInChange || (isPlaced && step !== undefined && status === 'Done' && !isWell(member)),
    isOwed: status === 'Failed' || status === 'Skipped',
  };
}

export function isWell({ isOnline, health }: MemberFacts): boolean {
  return isOnline && health === 'Available';
}

function queueOf({ status, change }: Member): Marks['queue'] {
  if (status === 'Parked') return 'parked';
  if (status !== 'Pending') return undefined;
  return change === 'remove' ? 'removals' : 'deliveries';
}
