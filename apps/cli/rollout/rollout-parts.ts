import type { DeploymentStatusResource } from '#protocol/api';

/** The rollout in the status of a deployment, and its parts. */
export type Rollout = NonNullable<DeploymentStatusResource['rollout']>;
export type Step = Rollout['steps'][number];
export type Wait = Rollout['waits'][number];
