import type { TargetId } from '#protocol/targets';
import type { Budget } from '../../budget/budget.ts';
import type { GateMemory, WatchedHealth } from '../gates/gate.ts';
import type { PlanStep } from '../plan.ts';
import type { Member } from './member.ts';
import type { NumberMap, NumberSet } from './number-map.ts';
import type { Phase } from './phase.ts';

/**
 * All that a rollout knows: plain JSON, and a value. Members have numbers, in the order in which they get their turn;
 * what has to be found without looking at all of them is kept beside them.
 */
export interface RolloutState {
  readonly rollout: string;
  readonly revision: number;
  readonly requestedBy: string;
  /** All who wrote something that it brings, or asked for it. */
  readonly requesters: readonly string[];
  readonly phase: Phase;
  /** Whether `started` was told. A rollout may be paused before. */
  readonly isStarted: boolean;
  /** The latest time that was told. It never goes back. */
  readonly now: number;
  readonly budget: Budget;
  readonly members: NumberMap<Member>;
  /** How many numbers were given. */
  readonly numbered: number;
  /** The numbers of members by their ids, in buckets by the hash of the id. */
  readonly numbers: NumberMap<readonly (readonly [id: TargetId, number: number])[]>;
  /** Number 0 is for latecomers: it has no gates and is always open. The plan's begin with 1. */
  readonly steps: NumberMap<StepState>;
  /** Where joiners go. */
  readonly doors: readonly Door[];
  readonly cursor: Cursor;
  /** The gate that is being waited for. */
  readonly gate?: OpenGate;
  /** How many gates were opened. */
  readonly gatesOpened: number;
  /** By place and position, the canonical text of what was passed there. */
  readonly cleared: Readonly<Record<string, string>>;
  /** The resolved set: how many targets percentages are of. */
  readonly placed: number;
  readonly inChange: number;
  readonly unavailable: NumberSet;
  readonly underWay: NumberSet;
  /** Those that did not get what they should have. */
  readonly owed: NumberSet;
  /** Of all that it has delivered so far. */
  readonly health: WatchedHealth;
  /** Failures of this era: those to generate harmed nobody, and count when a step ends. */
  readonly failures: { readonly era: number; readonly delivery: number; readonly generate: number };
  readonly deadlines: { readonly progress: DeadlineQueue; readonly offline: DeadlineQueue };
  /** The time of the timer that was asked for. */
  readonly timer?: number;
  /** The budget lets nothing go on at the moment. */
  readonly blocked?: { readonly kind: 'throttled' | 'conflict'; readonly since: number };
  /** The revision that waits for this one to end. */
  readonly queued?: number;
}

export interface StepState {
  readonly plan: Omit<PlanStep, 'remove' | 'deliver'>;
  /** `passed` is one that had nothing to change when its turn came: its gates were not looked at. */
  readonly fate: 'ahead' | 'open' | 'passed' | 'cleared';
  readonly members: number;
  readonly removals: NumberSet;
  readonly deliveries: NumberSet;
  /** Of the deliveries, those to targets that are degraded. */
  readonly broken: NumberSet;
  readonly parked: NumberSet;
  readonly underWay: number;
  readonly health: WatchedHealth;
}

export interface Door {
  readonly step: number;
  readonly joins: NonNullable<PlanStep['joins']>;
}

export interface Cursor {
  readonly step: number;
  readonly at: 'before' | 'work' | 'after';
  /** Which of the tasks before or after. */
  readonly gate: number;
}

export interface OpenGate {
  readonly id: string;
  readonly openedAt: number;
  readonly memory: GateMemory;
  readonly hasAsked: boolean;
  /** When it wants to be judged again. */
  readonly until?: number;
}

/** In the order of time: each queue has one duration. */
export interface DeadlineQueue {
  readonly next: number;
  readonly entries: NumberMap<{ readonly member: number; readonly at: number }>;
}

export const LATE_STEP = 0;
