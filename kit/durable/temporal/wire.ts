import type { ActivityOptions } from '../activity.ts';
import type { WaitingFor } from '../engine.ts';
import type { CarriedSignal } from '../signal-box.ts';

/**
 * What the two sides of the engine, the sandbox in which workflows run and the client outside, say to each other through
 * Temporal. It is kept in histories: a change here must read what was written before it.
 */
export const PAUSE_SIGNAL = 'fleetshift.pause';
export const RESUME_SIGNAL = 'fleetshift.resume';
/** Answers with a `RunState`. */
export const STATE_QUERY = 'fleetshift.state';

export interface RunState {
  readonly paused: boolean;
  /** Entries of its history. */
  readonly length: number;
  readonly waitingFor: readonly WaitingFor[];
}

/** A workflow's second argument: what a run hands on to the next. */
export interface Continuation {
  /** Of the run that gets it; 1 for the first. */
  readonly run: number;
  readonly paused: boolean;
  readonly carried: readonly CarriedSignal[];
}

/** In the memo, where a list finds it. */
export const FACTS_MEMO = 'fleetshift';

export interface RunFacts {
  readonly run: number;
  readonly paused: boolean;
  /** When the first run began. */
  readonly startTime: number;
}

/** An activity's second argument. */
export type TryOptions = Required<Pick<ActivityOptions, 'retry' | 'timeoutMs'>> & Pick<ActivityOptions, 'heartbeatMs'>;

/** What Temporal keeps beside a failed try's last heartbeat, so that tries which were lost with their worker do not count. */
export interface TryFacts {
  readonly failed: number;
}

export interface StepMark {
  readonly step: number;
  /** Asked for by `cleanUp`: a cancel does not reach it. */
  readonly shielded: boolean;
}

/** The note on a timer or a child. */
export function stepSummary({ step, shielded }: StepMark): string {
  return shielded ? `step ${step}, clean-up` : `step ${step}`;
}

export function readStepSummary(summary: string): StepMark {
  const [, step, cleanUp] = /^step (\d+)(, clean-up)?$/.exec(summary) ?? [];
  return { step: Number(step ?? 0), shielded: cleanUp !== undefined };
}

/**
 * Temporal compares the ids of activities when it replays, but not their inputs. With a digest of the input in the id, a
 * replay that asks for the same activity with another input is noticed too.
 */
export function activityIdOf({ step, shielded }: StepMark, input: string): string {
  return `${step}${shielded ? '-clean-up' : ''}-${digest(input)}`;
}

export function readActivityId(id: string): StepMark {
  const [, step, cleanUp] = /^(\d+)(-clean-up)?-[0-9a-f]{8}$/.exec(id) ?? [];
  return { step: Number(step ?? 0), shielded: cleanUp !== undefined };
}

/** FNV-1a: it tells inputs apart and keeps nothing secret. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** What begins like this is Temporal's or ours. */
export const RESERVED_NAME = /^(?:__temporal_|__stack_trace$|__enhanced_stack_trace$|fleetshift\.)/;
