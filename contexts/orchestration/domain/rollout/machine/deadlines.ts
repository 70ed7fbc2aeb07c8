import type { Member } from './member.ts';
import { firstOf, withoutKey, withValue } from './number-map.ts';
import type { DeadlineQueue } from './rollout-state.ts';
import { memberAt, putMember, type Turn } from './turn.ts';

type QueueName = NonNullable<Member['deadline']>['queue'];

/** Starts the deadline now; it replaces the member's previous one. */
export function setDeadline(turn: Turn, number: number, queue: QueueName): void {
  clearDeadline(turn, number);
  const { state, now } = turn;
  const { next, entries } = state.deadlines[queue];
  const { progressDeadlineMs, offlineDeadlineMs } = state.budget;
  const at = now + (queue === 'progress' ? progressDeadlineMs : offlineDeadlineMs);
  putQueue(turn, queue, { next: next + 1, entries: withValue(entries, next, { member: number, at }) });
  putMember(turn, number, { ...memberAt(turn, number), deadline: { queue, place: next } });
}

export function clearDeadline(turn: Turn, number: number): void {
  const { deadline, ...member } = memberAt(turn, number);
  if (deadline === undefined) return;
  const { next, entries } = turn.state.deadlines[deadline.queue];
  putQueue(turn, deadline.queue, { next, entries: withoutKey(entries, deadline.place) });
  putMember(turn, number, member);
}

/** The first member whose deadline has passed. */
export function firstDue({ state, now }: Turn, queue: QueueName): number | undefined {
  const head = headOf(state.deadlines[queue]);
  return head !== undefined && head.at <= now ? head.member : undefined;
}

/** Requests a `clock`, unless a timer is set that fires early enough. */
export function wake(turn: Turn): void {
  const { state, now, actions } = turn;
  if (state.timer !== undefined && state.timer <= now) delete state.timer;
  const { progress, offline } = state.deadlines;
  const gateAt = state.phase.kind === 'Running' ? state.gate?.until : undefined;
  const at = Math.min(headOf(progress)?.at ?? Infinity, headOf(offline)?.at ?? Infinity, gateAt ?? Infinity);
  if (at === Infinity || (state.timer !== undefined && state.timer <= at)) return;
  state.timer = at;
  actions.push({ kind: 'setTimer', at });
}

function headOf({ entries }: DeadlineQueue): { readonly member: number; readonly at: number } | undefined {
  return firstOf(entries)?.[1];
}

function putQueue({ state }: Turn, name: QueueName, queue: DeadlineQueue): void {
  state.deadlines = { ...state.deadlines, [name]: queue };
}
