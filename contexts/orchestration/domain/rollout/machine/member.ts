import type { Health } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';

/** The state of a target when it enters the rollout. */
export interface MemberFacts {
  readonly id: TargetId;
  readonly isOnline: boolean;
  readonly health: Health;
  /** The revision that the health was reported for; 0 before the first report. */
  readonly healthRevision: number;
  /** Whether the target has content of the deployment. */
  readonly hasContent: boolean;
}

export const MEMBER_STATUSES = [
  /** Waiting for its turn. */
  'Pending',
  /** Offline, and waiting for its turn or its deadline. */
  'Parked',
  /** Order sent, no report yet. */
  'Delivering',
  /** It has the content, but is not available yet. */
  'Settling',
  'Removing',
  /** As it should be; its health may have changed since. */
  'Done',
  'Failed',
  /** Left out because it was offline. */
  'Skipped',
  /** It left, and is no longer part of the rollout. */
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
  /** The agent has seen a later revision than was ever issued, and refuses this one. */
  'RevisionAhead',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

export interface Failure {
  readonly reason: FailureReason;
  readonly message: string;
  /** The failure count that it belongs to: a resume starts a new one. */
  readonly era: number;
}

/** One target in a rollout. */
export interface Member extends MemberFacts {
  /** The change to make. A target placed again while `Removing` gets the content once the removal is over. */
  readonly change: 'deliver' | 'remove';
  /** Absent for a target that has nothing to change. */
  readonly step?: number;
  readonly status: MemberStatus;
  /** Since when it has that status. */
  readonly since: number;
  /** Whether the agent reported that it has this rollout's content. */
  readonly hasNew: boolean;
  /** Its position in a deadline queue. */
  readonly deadline?: { readonly queue: 'progress' | 'offline'; readonly place: number };
  readonly failure?: Failure;
  /** It failed, and the rollout was resumed in spite of it: a health gate still waits for it. */
  readonly isUnproven?: true;
}

/** How a member enters counts and queues. They are updated by comparing its marks before and after a change. */
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
  const isUnproven = status === 'Failed' && member.isUnproven === true;
  return {
    step: status === 'Dropped' ? undefined : step,
    queue: queueOf(member),
    isBroken: status === 'Pending' && isDown && member.health === 'Degraded',
    isUnderWay: isInChange || status === 'Removing',
    isInChange,
    isPlaced,
    isUnavailable: isInChange || isDown,
    isUnhealthy:
      isInChange || (isPlaced && step !== undefined && (isUnproven || (status === 'Done' && !isWell(member)))),
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
