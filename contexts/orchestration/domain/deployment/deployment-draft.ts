import type { JsonObject, Labels } from '#kit/std';
import type { DriftPolicy, HealthRule } from '#protocol/delivery';
import type { ManifestSpec } from '../manifest/manifest-strategy.ts';
import type { PlacementSpec } from '../placement/placement-strategy.ts';
import type { RolloutSpec } from '../rollout/rollout-strategy.ts';
import type { Deployment, DeploymentSpec, RolloutWish } from './deployment.ts';

/** What somebody wrote down of a deployment, secrets marked. */
export interface DeploymentDraft {
  readonly labels?: Labels;
  readonly manifest: ManifestSpec;
  readonly placement?: readonly PlacementSpec[];
  readonly rollout?: RolloutSpec;
  readonly healthRules?: readonly HealthRule[];
  readonly driftPolicy?: DriftPolicy;
  readonly namespace?: string;
  readonly config?: JsonObject;
  readonly rolloutState?: RolloutWish;
}

/** A group is done when its children are, and they may wait for people. */
const GROUP_DEADLINE = '30d';

/** With what is left out filled in. A deployment without a placement has none: nobody is guessed. */
export function specOf(draft: DeploymentDraft): DeploymentSpec {
  const { manifest, placement, rollout = { type: 'immediate' }, namespace } = draft;
  const isGroup = manifest.type === 'deploymentGroup';
  return {
    manifest,
    placement: placement ?? (isGroup ? [{ type: 'local' }] : []),
    rollout: isGroup ? { progressDeadline: GROUP_DEADLINE, ...rollout } : rollout,
    healthRules: draft.healthRules ?? [],
    driftPolicy: draft.driftPolicy ?? 'report',
    ...(namespace === undefined ? {} : { namespace }),
    config: draft.config ?? {},
  };
}

/** What somebody would write down to get the deployment as it is. `spec` is its own, as it was sent. */
export function draftOf({ labels, rolloutState }: Deployment, spec: DeploymentSpec): DeploymentDraft {
  return { ...spec, labels, rolloutState };
}
