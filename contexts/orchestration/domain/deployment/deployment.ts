import type { JsonObject, Labels, ResourceName, Uuid } from '#kit/std';
import type { DriftPolicy, HealthRule } from '#protocol/delivery';
import type { ManifestSpec } from '../manifest/manifest-strategy.ts';
import type { PlacementSpec } from '../placement/placement-strategy.ts';
import type { RolloutSpec } from '../rollout/rollout-strategy.ts';
import type { DeploymentStatus } from './deployment-status.ts';

export type DeploymentId = Uuid;

export const ROLLOUT_STATES = ['running', 'paused'] as const;
export type RolloutWish = (typeof ROLLOUT_STATES)[number];

/** What somebody wants. Kept in its open form: a reference stands where a secret was, see `splitSecrets`. */
export interface DeploymentSpec {
  readonly manifest: ManifestSpec;
  readonly placement: readonly PlacementSpec[];
  readonly rollout: RolloutSpec;
  readonly healthRules: readonly HealthRule[];
  readonly driftPolicy: DriftPolicy;
  /** Where things go on a target that has such places. */
  readonly namespace?: string;
  /** For whoever generates. */
  readonly config: JsonObject;
}

/** The one workspace that a deployment is in: its pool is all that is below. */
export interface DeploymentPlace {
  readonly name: ResourceName;
  /** What the path of everything in the workspace begins with. It ends with a slash. */
  readonly path: string;
}

/** The group that made a deployment, and deletes it. */
export interface DeploymentOwner {
  readonly group: DeploymentId;
  /** Its short name in the group. */
  readonly child: string;
}

/** A value: every change makes the next one. */
export interface Deployment {
  readonly uid: DeploymentId;
  /** Unique in its workspace, and never changed. */
  readonly name: ResourceName;
  readonly workspace: DeploymentPlace;
  readonly labels: Labels;
  readonly spec: DeploymentSpec;
  readonly rolloutState: RolloutWish;
  readonly owner: DeploymentOwner | undefined;
  /** Set once it is to go. It is gone when it is off all targets, or abandoned. */
  readonly deletion: { readonly time: number; readonly by: string } | undefined;
  /** Counts the changes of what people asked for; `version` counts every change that the API shows. */
  readonly generation: number;
  /** The generation that the last plan was made for. */
  readonly observedGeneration: number;
  /** The last one that was given; 0 before the first rollout. It only ever grows. */
  readonly revision: number;
  /** The revision whose rollout is under way. */
  readonly rollout: number | undefined;
  readonly status: DeploymentStatus;
  readonly version: number;
  readonly createTime: number;
  readonly updateTime: number;
}
