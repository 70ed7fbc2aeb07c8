import type { Health } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import { setDeadline } from './deadlines.ts';
import type { FailureReason, Member } from './member.ts';
import type { DeliveryFailure, RolloutEvent } from './rollout-event.ts';
import { enqueue, fail, setAside, settle, settleIfWell } from './settling.ts';
import { memberAt, numberOf, putMember, type Turn } from './turn.ts';

type Delivered = Extract<RolloutEvent, { kind: 'delivered' }>;

const REASONS: Readonly<Record<DeliveryFailure, FailureReason>> = {
  deliveryFailed: 'DeliveryFailed',
  rejected: 'Rejected',
  generateFailed: 'GenerateFailed',
  removeFailed: 'RemoveFailed',
  fenced: 'RevisionAhead',
};

/**
 * Health reported for the old content says nothing about the new content, and a late report on an older revision nothing
 * about this one: if the content is the same, the member's own order finds that out.
 */
export function hearDelivered(turn: Turn, { target, changed, revision: of }: Delivered): void {
  const found = find(turn, target);
  if (found?.member.change !== 'deliver' || found.member.status === 'Done' || found.member.status === 'Removing')
    return;
  const { number, member } = found;
  const { revision } = turn.state;
  if (of !== undefined && of < revision) return putMember(turn, number, { ...member, hasContent: true });
  const isNews = changed && member.healthRevision < revision;
  const health = isNews ? ({ health: 'Unknown', healthRevision: revision } as const) : {};
  putMember(turn, number, { ...member, ...health, hasNew: true, hasContent: true });
  if (settleIfWell(turn, number) || member.status !== 'Delivering') return;
  putMember(turn, number, { ...memberAt(turn, number), status: 'Settling', since: turn.now });
}

export function hearRemoved(turn: Turn, target: TargetId): void {
  const found = find(turn, target);
  if (found === undefined) return;
  const { number, member } = found;
  if (member.change === 'deliver' && member.status !== 'Removing') return;
  putMember(turn, number, { ...member, hasContent: false });
  if (member.change === 'deliver') enqueue(turn, number);
  else if (member.status !== 'Done') settle(turn, number);
}

/**
 * Only failures of orders under way count. A late report is ignored: that order was given up before, with its own reason.
 */
export function hearFailure(turn: Turn, target: TargetId, why: { kind: DeliveryFailure; message: string }): void {
  const found = find(turn, target);
  if (found === undefined) return;
  const { number, member } = found;
  const isRemoval = why.kind === 'removeFailed' || (why.kind === 'fenced' && member.status === 'Removing');
  const isExpected = isRemoval ? member.status === 'Removing' : isInChange(member);
  if (!isExpected) return;
  // A failed removal does not matter for a target that is placed again.
  if (isRemoval && member.change === 'deliver') enqueue(turn, number);
  else fail(turn, number, { reason: REASONS[why.kind], message: why.message });
}

export function hearHealth(turn: Turn, target: TargetId, news: { health: Health; revision: number }): void {
  const found = find(turn, target);
  if (found === undefined || found.member.healthRevision > news.revision) return;
  putMember(turn, found.number, { ...found.member, health: news.health, healthRevision: news.revision });
  settleIfWell(turn, found.number);
}

export function hearConnection(turn: Turn, target: TargetId, isOnline: boolean): void {
  const found = find(turn, target);
  if (found === undefined || found.member.isOnline === isOnline) return;
  if (isOnline) comeBack(turn, found.number, found.member);
  else goAway(turn, found.number, found.member);
}

/** After a reconnect the health is unknown until the agent reports it again. */
function comeBack(turn: Turn, number: number, member: Member): void {
  putMember(turn, number, { ...member, isOnline: true, health: 'Unknown' });
  if (isInChange(member) || member.status === 'Removing') setDeadline(turn, number, 'progress');
  const isOfflineFailure = member.status === 'Failed' && member.failure?.reason === 'OfflineDeadline';
  if (member.status === 'Parked' || member.status === 'Skipped' || isOfflineFailure) enqueue(turn, number);
}

/**
 * DECISION: a delivery outlives the connection and keeps its place in the budget, since the agent may be applying it
 * right now. With the policy `skip`, and for removals, the place goes to the next target instead.
 */
function goAway(turn: Turn, number: number, member: Member): void {
  putMember(turn, number, { ...member, isOnline: false });
  if (member.status === 'Pending') enqueue(turn, number);
  if (!isInChange(member) && member.status !== 'Removing') return;
  setAside(turn, number);
  if (memberAt(turn, number).status === 'Skipped')
    turn.actions.push({ kind: 'cancelDeliveries', targets: [member.id] });
}

function isInChange({ status }: Member): boolean {
  return status === 'Delivering' || status === 'Settling';
}

function find(turn: Turn, target: TargetId): { readonly number: number; readonly member: Member } | undefined {
  const number = numberOf(turn, target);
  if (number === undefined) return undefined;
  const member = memberAt(turn, number);
  return member.status === 'Dropped' ? undefined : { number, member };
}
