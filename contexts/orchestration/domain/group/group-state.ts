import type { ChildDeployment } from '../manifest/group/deployment-group.ts';

export const GROUP_PHASES = [
  /** No child was created yet. */
  'Pending',
  'Deploying',
  /** All children have what they should have, and are healthy. */
  'Healthy',
  /** A child is degraded, or the rollout was aborted; no further step begins. */
  'Degraded',
] as const;
export type GroupPhase = (typeof GROUP_PHASES)[number];

export const CHILD_STANDINGS = [
  /** Its step has not begun. */
  'Waiting',
  'Progressing',
  'Healthy',
  'Degraded',
  /** It is being deleted. */
  'Leaving',
] as const;
export type ChildStanding = (typeof CHILD_STANDINGS)[number];

/** The group's record of one child. */
export interface ChildRecord {
  /** The child as last requested, in digests; absent before it was created. */
  readonly asked?: ChildDeployment;
  /** The revision of the group that requested it. */
  readonly revision: number;
  /** The step it belongs to, or belonged to last. */
  readonly step: number;
  readonly standing: ChildStanding;
  /** Since when it has that standing. */
  readonly since: number;
  /** Generation of the deployment right after the request. If it differs later, the child was rolled back. */
  readonly generation?: number;
  /** It is paused, and the group paused it. */
  readonly isHeld: boolean;
  /** Its rollout was aborted with the group's, and is retried when the group continues. */
  readonly isAborted?: true;
  /** Why the request was refused, and when it is retried. */
  readonly refusal?: { readonly message: string; readonly revision: number; readonly until: number };
}

/** The progress of a group. Plain JSON. */
export interface GroupState {
  readonly phase: GroupPhase;
  readonly since: number;
  readonly pausedSince?: number;
  /** The rollout of the group whose abort has reached the children; kept until something else is requested. */
  readonly aborted?: { readonly revision: number; readonly since: number };
  readonly children: Readonly<Record<string, ChildRecord>>;
  /** The latest revision with which all children were healthy once; 0 for none. */
  readonly reached: number;
  /** The revision that failed and that a rollback was requested for; 0 for none. */
  readonly givenUp: number;
}

export function newGroup(now: number): GroupState {
  return { phase: 'Pending', since: now, children: {}, reached: 0, givenUp: 0 };
}
