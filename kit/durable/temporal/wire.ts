import type { ActivityOptions } from '../activity.ts';
import type { WaitingFor } from '../engine.ts';
import type { CarriedSignal } from '../signal-box.ts';

/**
 * The protocol between the two sides of the engine, the sandbox that runs workflows and the client outside, through
 * Temporal. It is stored in histories: after a change, old data must still be readable.
 */
export const PAUSE_SIGNAL = 'fleetshift.pause';
export const RESUME_SIGNAL = 'fleetshift.resume';
/** The response is a `RunState`. */
export const STATE_QUERY = 'fleetshift.state';

export interface RunState {
  readonly paused: boolean;
  /** The number of entries in the history. */
  readonly length: number;
  readonly waitingFor: readonly WaitingFor[];
}

/** A workflow's second argument: state passed from one run to the next. */
export interface Continuation {
  /** The number of the run that receives it; 1 for the first. */
  readonly run: number;
  readonly paused: boolean;
  readonly carried: readonly CarriedSignal[];
}

/** Stored in the memo, where a list finds it. */
export const FACTS_MEMO = 'fleetshift';

export interface RunFacts {
  readonly run: number;
  readonly paused: boolean;
  /** When the first run began. */
  readonly startTime: number;
}

/** An activity's second argument. */
export type TryOptions = Required<Pick<ActivityOptions, 'retry' | 'timeoutMs'>> & Pick<ActivityOptions, 'heartbeatMs'>;

/** Stored with the last heartbeat of a failed attempt, so that attempts lost with their worker do not count. */
export interface TryFacts {
  readonly failed: number;
}

export interface StepMark {
  readonly step: number;
  /** Requested by `cleanUp`: a cancel does not affect it. */
  readonly shielded: boolean;
}

/** The summary on a timer or a child. */
export function stepSummary({ step, shielded }: StepMark): string {
  return shielded ? `step ${step}, clean-up` : `step ${step}`;
}

export function readStepSummary(summary: string): StepMark {
  const [, step, cleanUp] = /^step (\d+)(, clean-up)?$/.exec(summary) ?? [];
  return { step: Number(step ?? 0), shielded: cleanUp !== undefined };
}

/**
 * On a replay Temporal compares the ids of activities, but not their inputs. With a digest of the input in the id, a
 * replay with a different input is detected too.
 */
export function activityIdOf({ step, shielded }: StepMark, input: string): string {
  return `${step}${shielded ? '-clean-up' : ''}-${digest(input)}`;
}

export function readActivityId(id: string): StepMark {
  const [, step, cleanUp] = /^(\d+)(-clean-up)?-[0-9a-f]{8}$/.exec(id) ?? [];
  return { step: Number(step ?? 0), shielded: cleanUp !== undefined };
}

/** FNV-1a: distinguishes inputs; it is not cryptographic. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** Names with these prefixes are reserved for Temporal or FleetShift. */
export const RESERVED_NAME = /^(?:__temporal_|__stack_trace$|__enhanced_stack_trace$|fleetshift\.)/;
