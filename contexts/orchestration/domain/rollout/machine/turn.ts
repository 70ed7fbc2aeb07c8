import type { TargetId } from '#protocol/targets';
import { type Limits, limitsOf } from '../../budget/budget.ts';
import type { GateRegistry, WatchedHealth } from '../gates/gate.ts';
import type { Action } from './action.ts';
import { type Marks, type Member, marksOf } from './member.ts';
import { type NumberSet, valueAt, withoutKey, withValue } from './number-map.ts';
import type { OpenGate, RolloutState, StepState } from './rollout-state.ts';

/**
 * One event on its way through the machine: a shallow copy of the state, whose fields are replaced, and the actions so
 * far. It never leaves `decide`, which therefore stays pure.
 */
export interface Turn {
  readonly state: Draft;
  readonly actions: Action[];
  readonly now: number;
  readonly gates: GateRegistry;
}

type Draft = { -readonly [Key in keyof RolloutState]: RolloutState[Key] };

const BUCKETS = 1 << 15;

const NONE: Marks = {
  step: undefined,
  queue: undefined,
  isBroken: false,
  isUnderWay: false,
  isInChange: false,
  isPlaced: false,
  isUnavailable: false,
  isUnhealthy: false,
  isOwed: false,
};

export function beginTurn(state: RolloutState, now: number, gates: GateRegistry): Turn {
  const draft: Draft = { ...state, now: Math.max(now, state.now) };
  return { state: draft, actions: [], now: draft.now, gates };
}

export function memberAt({ state }: Turn, number: number): Member {
  const member = valueAt(state.members, number);
  if (member === undefined) throw new RangeError(`the rollout has no member ${number}`);
  return member;
}

export function numberOf({ state }: Turn, id: TargetId): number | undefined {
  return valueAt(state.numbers, bucketOf(id))?.find(([other]) => other === id)?.[1];
}

/** Adds a member, last in rollout order. */
export function addMember(turn: Turn, member: Member): void {
  const { state } = turn;
  const number = state.numbered;
  const bucket = bucketOf(member.id);
  state.numbered += 1;
  state.numbers = withValue(state.numbers, bucket, [...(valueAt(state.numbers, bucket) ?? []), [member.id, number]]);
  putMember(turn, number, member);
}

/** The only way to change a member: all counts and queues are derived from it. */
export function putMember(turn: Turn, number: number, next: Member): void {
  const { state } = turn;
  const last = valueAt(state.members, number);
  const before = last === undefined ? NONE : marksOf(last);
  const after = marksOf(next);
  state.members = withValue(state.members, number, next);
  state.placed += change(before.isPlaced, after.isPlaced);
  state.inChange += change(before.isInChange, after.isInChange);
  state.unavailable = mark(state.unavailable, number, after.isUnavailable);
  state.underWay = mark(state.underWay, number, after.isUnderWay);
  state.owed = mark(state.owed, number, after.isOwed);
  state.health = watched(state.health, change(before.isUnhealthy, after.isUnhealthy), turn.now);
  if (before.step !== after.step) {
    if (before.step !== undefined) markStep(turn, before.step, { number, before, after: NONE, members: -1 });
    if (after.step !== undefined) markStep(turn, after.step, { number, before: NONE, after, members: 1 });
  } else if (after.step !== undefined) {
    markStep(turn, after.step, { number, before, after, members: 0 });
  }
}

export function stepAt({ state }: Turn, number: number): StepState | undefined {
  return valueAt(state.steps, number);
}

export function putStep({ state }: Turn, number: number, step: StepState): void {
  state.steps = withValue(state.steps, number, step);
}

/** Whether orders may be sent to the targets of the step. */
export function isOpen({ state }: Turn, step: number | undefined): boolean {
  return step === 0 || (step === state.cursor.step && state.cursor.at !== 'before');
}

export function openGate({ state }: Turn, gate: OpenGate | undefined): void {
  if (gate === undefined) delete state.gate;
  else state.gate = gate;
}

export function limits({ state }: Turn): Limits {
  return limitsOf(state.budget, state.placed);
}

interface StepChange {
  readonly number: number;
  readonly before: Marks;
  readonly after: Marks;
  readonly members: number;
}

function markStep(turn: Turn, index: number, { number, before, after, members }: StepChange): void {
  const step = stepAt(turn, index);
  if (step === undefined) throw new RangeError(`the rollout has no step ${index}`);
  putStep(turn, index, {
    ...step,
    members: step.members + members,
    removals: mark(step.removals, number, after.queue === 'removals'),
    deliveries: mark(step.deliveries, number, after.queue === 'deliveries'),
    broken: mark(step.broken, number, after.isBroken),
    parked: mark(step.parked, number, after.queue === 'parked'),
    underWay: step.underWay + change(before.isUnderWay, after.isUnderWay),
    health: watched(step.health, change(before.isUnhealthy, after.isUnhealthy), turn.now),
  });
}

function mark(set: NumberSet, number: number, isIn: boolean): NumberSet {
  const wasIn = valueAt(set, number) !== undefined;
  if (wasIn === isIn) return set;
  return isIn ? withValue(set, number, true) : withoutKey(set, number);
}

function change(was: boolean, is: boolean): number {
  return Number(is) - Number(was);
}

/** The clock restarts whenever the last unhealthy target becomes available. */
function watched(health: WatchedHealth, by: number, now: number): WatchedHealth {
  if (by === 0) return health;
  const unhealthy = health.unhealthy + by;
  return { unhealthy, healthySince: unhealthy === 0 ? now : health.healthySince };
}

/** FNV-1a: similar ids, such as those created in the same minute, spread well. */
function bucketOf(id: TargetId): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  return (hash >>> 0) % BUCKETS;
}
