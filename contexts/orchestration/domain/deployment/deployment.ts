import type { JsonObject, Labels, ResourceName, Uuid } from '#kit/std';
import type { DriftPolicy, HealthRule } from '#protocol/delivery';
import type { ManifestSpec } from '../manifest/manifest-strategy.ts';
import type { PlacementSpec } from '../placement/placement-strategy.ts';
import type { RolloutSpec } from '../rollout/rollout-strategy.ts';
import type { DeploymentStatus } from './status/deployment-status.ts';

export type DeploymentId = Uuid;

export const ROLLOUT_STATES = ['running', 'paused'] as const;
export type DesiredRolloutState = (typeof ROLLOUT_STATES)[number];

/** The desired state. Stored in its open form: each secret is replaced by a reference, see `splitSecrets`. */
export interface DeploymentSpec {
  readonly manifest: ManifestSpec;
  readonly placement: readonly PlacementSpec[];
  readonly rollout: RolloutSpec;
  readonly healthRules: readonly HealthRule[];
  readonly driftPolicy: DriftPolicy;
  /** The default namespace, for targets that have namespaces. */
  readonly namespace?: string;
  /** Values for the manifest strategy that generates the documents. */
  readonly config: JsonObject;
}

/** The workspace of a deployment. Its pool is the targets of that workspace and those below it. */
export interface DeploymentPlace {
  readonly name: ResourceName;
  /** Prefix of the paths of everything in the workspace. It ends with a slash. */
  readonly path: string;
}

/** The group that created a deployment, and deletes it. */
export interface DeploymentOwner {
  readonly group: DeploymentId;
  /** The child's short name within the group. */
  readonly child: string;
}

/** Immutable: every change makes a new value. */
export interface Deployment {
  readonly uid: DeploymentId;
  /** Unique in its workspace, and never changed. */
  readonly name: ResourceName;
  readonly workspace: DeploymentPlace;
  readonly labels: Labels;
  readonly spec: DeploymentSpec;
  readonly rolloutState: DesiredRolloutState;
  readonly owner: DeploymentOwner | undefined;
  /** Set once deletion was requested. The deployment is gone when it is off all targets, or abandoned. */
  readonly deletion: { readonly time: number; readonly by: string } | undefined;
  /** Counts changes of what users asked for; `version` counts every change that the API shows. */
  readonly generation: number;
  /** The generation that the last plan was made for. */
  readonly observedGeneration: number;
  /** The last revision issued; 0 before the first rollout. It never decreases. */
  readonly revision: number;
  /** The revision whose rollout is under way. */
  readonly rollout: number | undefined;
  readonly status: DeploymentStatus;
  readonly version: number;
  readonly createTime: number;
  readonly updateTime: number;
}
