import type { TargetId } from '#protocol/targets';
import type { Plan } from '../plan.ts';
import { setDeadline } from './deadlines.ts';
import { dropGate } from './gate-keeping.ts';
import type { Member, MemberStatus } from './member.ts';
import { entriesOf } from './number-map.ts';
import { openRollout } from './open-rollout.ts';
import type { RolloutEvent } from './rollout-event.ts';
import type { RolloutState } from './rollout-state.ts';
import { countFailure } from './settling.ts';
import { memberAt, numberOf, putMember, type Turn } from './turn.ts';

/** Members with these statuses keep them in the new plan; members still waiting do so in their new step. */
const CARRIED: readonly MemberStatus[] = ['Delivering', 'Settling', 'Removing', 'Done', 'Failed', 'Skipped'];

type Replanned = Omit<Extract<RolloutEvent, { kind: 'replan' }>, 'kind'>;

/**
 * Starts the new plan from its first step, keeping what was done already. Gates that were passed stay passed if the new
 * plan has the same gate in the same place; the deadlines of orders under way start again.
 */
export function replan(turn: Turn, { plan, facts, requesters: more = [] }: Replanned): void {
  const { state, now } = turn;
  const old = [...entriesOf(state.members)].map(([, member]) => member).filter(({ status }) => status !== 'Dropped');
  refuseForgetting(plan, old);
  dropGate(turn);
  const { rollout, revision, requestedBy, phase, isStarted, gatesOpened, cleared, failures } = state;
  const requesters = [...new Set([...state.requesters, ...more])].sort();
  const fresh = openRollout({ rollout, revision, requestedBy, requesters, plan, facts: [...facts, ...old], now });
  const { era } = failures;
  const kept = { phase, isStarted, gatesOpened, cleared, failures: { era, delivery: 0, generate: 0 } };
  delete state.blocked;
  Object.assign(state, fresh, kept);
  const lost = old
    .filter((member) => !carry(turn, member))
    .filter(isUnderWay)
    .map(({ id }) => id);
  if (lost.length > 0) turn.actions.push({ kind: 'cancelDeliveries', targets: lost });
}

/** The targets that neither the old nor the new plan has to change: the `upToDate` of the plan input. */
export function untouchedBy({ members }: RolloutState): ReadonlySet<TargetId> {
  const untouched = [...entriesOf(members)].filter(([, member]) => isUntouched(member));
  return new Set(untouched.map(([, { id }]) => id));
}

/**
 * A target that this rollout changed must belong to a step; otherwise the step's gates might be skipped for lack of
 * targets.
 */
function refuseForgetting({ current }: Plan, old: readonly Member[]): void {
  const isCurrent = new Set(current);
  const forgotten = old.find((member) => isCurrent.has(member.id) && (member.hasNew || isUnderWay(member)));
  if (forgotten !== undefined)
    throw new RangeError(`the plan has no step for target ${forgotten.id}, which was changed already`);
}

/** Whether the member continues unchanged in the new plan. */
function carry(turn: Turn, old: Member): boolean {
  const number = numberOf(turn, old.id);
  if (number === undefined || !CARRIED.includes(old.status) || isUntouched(old)) return false;
  const member = memberAt(turn, number);
  if (member.step === undefined || (member.change !== old.change && old.status !== 'Removing')) return false;
  const { status, since, hasNew, failure, isUnproven } = old;
  const failed = { ...(failure === undefined ? {} : { failure }), ...(isUnproven === undefined ? {} : { isUnproven }) };
  putMember(turn, number, { ...member, status, since, hasNew, ...failed });
  if (isUnderWay(old)) setDeadline(turn, number, old.isOnline ? 'progress' : 'offline');
  if (failure !== undefined && failure.era === turn.state.failures.era) countFailure(turn, failure.reason, 1);
  return true;
}

function isUntouched({ step, status }: Member): boolean {
  return step === undefined && status === 'Done';
}

function isUnderWay({ status }: Member): boolean {
  return status === 'Delivering' || status === 'Settling' || status === 'Removing';
}
