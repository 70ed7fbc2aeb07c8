import type { KubeObject } from '../kube-object.ts';

/**
 * From good to bad. `Applied` is an object that is there and of which nobody says how it is: nothing waits for it.
 */
export const HEALTH_STATES = ['Available', 'Applied', 'Progressing', 'Degraded'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/** How an object is. The same problem has the same words: no times, no counts that grow, no names made up by controllers. */
export interface ObjectHealth {
  readonly state: HealthState;
  /** For machines: `CrashLoop`. Empty when all is well and there is nothing to say. */
  readonly reason: string;
  readonly message: string;
}

/** All that health is judged by. */
export interface ObjectView {
  readonly object: KubeObject;
  /** Those that belong to it, through whatever owners. */
  readonly pods: readonly KubeObject[];
  /** Of the object, and of what belongs to it. */
  readonly events: readonly ObjectEvent[];
}

export interface ObjectEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

export const AVAILABLE: ObjectHealth = { state: 'Available', reason: '', message: '' };

export function applied(reason: string, message: string): ObjectHealth {
  return { state: 'Applied', reason, message };
}

export function progressing(reason: string, message: string): ObjectHealth {
  return { state: 'Progressing', reason, message };
}

export function degraded(reason: string, message: string): ObjectHealth {
  return { state: 'Degraded', reason, message };
}

/** The first of those that are worst. */
export function worstOf(healths: readonly ObjectHealth[]): ObjectHealth | undefined {
  return healths.reduce<ObjectHealth | undefined>(
    (worst, each) => (worst === undefined || badness(each) > badness(worst) ? each : worst),
    undefined,
  );
}

export function badness({ state }: Pick<ObjectHealth, 'state'>): number {
  return HEALTH_STATES.indexOf(state);
}
