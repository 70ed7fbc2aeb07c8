import type { KubeObject } from '../kube-object.ts';

/**
 * From good to bad. `Applied` is an object that exists but whose status says nothing about its health: nothing waits
 * for it. `Unknown` is one whose health cannot be told, since a rule has no result.
 */
export const HEALTH_STATES = ['Available', 'Applied', 'Progressing', 'Unknown', 'Degraded'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/**
 * Health of an object. The same problem always gives the same text: no times, no growing counters, no generated names.
 */
export interface ObjectHealth {
  readonly state: HealthState;
  /** For machines: `CrashLoop`. Empty if the object is healthy and there is nothing to add. */
  readonly reason: string;
  readonly message: string;
}

/** Everything that health is judged by. */
export interface ObjectView {
  readonly object: KubeObject;
  /** Pods that belong to the object, directly or through other owners. */
  readonly pods: readonly KubeObject[];
  /** Events of the object, and of what belongs to it. */
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

export function unknown(reason: string, message: string): ObjectHealth {
  return { state: 'Unknown', reason, message };
}

export function degraded(reason: string, message: string): ObjectHealth {
  return { state: 'Degraded', reason, message };
}

/** The first of the worst. */
export function worstOf(healths: readonly ObjectHealth[]): ObjectHealth | undefined {
  return healths.reduce<ObjectHealth | undefined>(
    (worst, each) => (worst === undefined || badness(each) > badness(worst) ? each : worst),
    undefined,
  );
}

export function badness({ state }: Pick<ObjectHealth, 'state'>): number {
  return HEALTH_STATES.indexOf(state);
}
