import type { ChildDeployment } from '../manifest/group/deployment-group.ts';

export const GROUP_PHASES = [
  /** Nothing of it was begun. */
  'Pending',
  'Deploying',
  /** All children have what they should have, and are well. */
  'Healthy',
  /** A child is not well, or the rollout was aborted; no further step begins. */
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

/** What the group remembers of one child. */
export interface ChildRecord {
  /** What it was last asked to be, in digests; absent before it was made. */
  readonly asked?: ChildDeployment;
  /** The revision of the group that asked for it. */
  readonly revision: number;
  /** The step that it is in, or was in last. */
  readonly step: number;
  readonly standing: ChildStanding;
  /** Since when it has that standing. */
  readonly since: number;
  /** Of the deployment, when it had just been asked: another one later means that it was rolled back. */
  readonly generation?: number;
  /** It is paused, and it was the group that did it. */
  readonly isHeld: boolean;
  /** Its rollout was aborted with the group's, and is taken up again when the group goes on. */
  readonly isAborted?: true;
  /** Why it could not be asked, and when it is tried again. */
  readonly refusal?: { readonly message: string; readonly revision: number; readonly until: number };
}

/** How far a group has come. Plain JSON. */
export interface GroupState {
  readonly phase: GroupPhase;
  readonly since: number;
  readonly pausedSince?: number;
  /** The rollout of the group whose abort has reached the children; there while nothing else was asked for. */
  readonly aborted?: { readonly revision: number; readonly since: number };
  readonly children: Readonly<Record<string, ChildRecord>>;
  /** The latest revision with which all was healthy once; 0 for none. */
  readonly reached: number;
  /** The revision that went wrong, and that a rollback was asked for; 0 for none. */
  readonly givenUp: number;
}

export function newGroup(now: number): GroupState {
  return { phase: 'Pending', since: now, children: {}, reached: 0, givenUp: 0 };
}
