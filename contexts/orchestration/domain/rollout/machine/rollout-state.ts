import type { TargetId } from '#protocol/targets';
import type { Budget } from '../../budget/budget.ts';
import type { GateMemory, WatchedHealth } from '../gates/gate.ts';
import type { PlanStep } from '../plan.ts';
import type { Member } from './member.ts';
import type { NumberMap, NumberSet } from './number-map.ts';
import type { Phase } from './phase.ts';

/**
 * The whole state of a rollout: plain JSON, immutable. Members are numbered in rollout order; sets and queues beside them
 * make lookups possible without scanning all members.
 */
export interface RolloutState {
  readonly rollout: string;
  readonly revision: number;
  readonly requestedBy: string;
  /** All principals who wrote something that it brings, or asked for it. */
  readonly requesters: readonly string[];
  readonly phase: Phase;
  /** Whether `started` was received. A rollout may be paused before that. */
  readonly isStarted: boolean;
  /** The latest time received. It never goes back. */
  readonly now: number;
  readonly budget: Budget;
  readonly members: NumberMap<Member>;
  /** How many numbers have been assigned. */
  readonly numbered: number;
  /** The numbers of members by id, in buckets by the hash of the id. */
  readonly numbers: NumberMap<readonly (readonly [id: TargetId, number: number])[]>;
  /** Step 0 is for latecomers: it has no gates and is always open. The steps of the plan start at 1. */
  readonly steps: NumberMap<StepState>;
  /** Which step a joining target goes to. */
  readonly doors: readonly Door[];
  readonly cursor: Cursor;
  /** The gate that the rollout waits for. */
  readonly gate?: OpenGate;
  /** How many gates were opened so far. */
  readonly gatesOpened: number;
  /** By position, the canonical text of the gate passed there. */
  readonly cleared: Readonly<Record<string, string>>;
  /** The size of the resolved set, which percentages refer to. */
  readonly placed: number;
  readonly inChange: number;
  readonly unavailable: NumberSet;
  readonly underWay: NumberSet;
  /** Members that did not get what they should have. */
  readonly owed: NumberSet;
  /** Health of all targets delivered so far. */
  readonly health: WatchedHealth;
  /** Failures of this era. Failures to generate harm no target, and count only when a step ends. */
  readonly failures: { readonly era: number; readonly delivery: number; readonly generate: number };
  readonly deadlines: { readonly progress: DeadlineQueue; readonly offline: DeadlineQueue };
  /** The time of the timer that was requested. */
  readonly timer?: number;
  /** The budget currently allows no progress. */
  readonly blocked?: { readonly kind: 'throttled' | 'conflict'; readonly since: number };
  /** The revision that waits for this one to end. */
  readonly queued?: number;
}

export interface StepState {
  readonly plan: Omit<PlanStep, 'remove' | 'deliver'>;
  /** `passed`: the step had nothing to change when its turn came, and its gates were not evaluated. */
  readonly fate: 'ahead' | 'open' | 'passed' | 'cleared';
  readonly members: number;
  readonly removals: NumberSet;
  readonly deliveries: NumberSet;
  /** The deliveries to degraded targets. */
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
  /** Index of the task before or after the step. */
  readonly gate: number;
}

export interface OpenGate {
  readonly id: string;
  readonly openedAt: number;
  readonly memory: GateMemory;
  readonly hasAsked: boolean;
  /** When the gate wants to be judged again. */
  readonly until?: number;
}

/** In order of time: all entries of a queue have the same duration. */
export interface DeadlineQueue {
  readonly next: number;
  readonly entries: NumberMap<{ readonly member: number; readonly at: number }>;
}

export const LATE_STEP = 0;
