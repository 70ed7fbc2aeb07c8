import type { Json } from '#kit/std';
import { type ResourceName, sortedLabels } from '#kit/std';
import type { Fingerprint } from '../manifest/split-secrets.ts';
import { conditionsOf } from './conditions.ts';
import { NO_COUNTS } from './counts-after.ts';
import type { Deployment, DeploymentId, DeploymentOwner, DeploymentPlace } from './deployment.ts';
import { type DeploymentDraft, specOf } from './deployment-draft.ts';
import type { PlacementStatus } from './deployment-status.ts';
import { sealSpec } from './sealed-spec.ts';

/** Everything a new deployment needs beyond its draft. */
export interface Founding {
  readonly uid: DeploymentId;
  readonly name: ResourceName;
  readonly workspace: DeploymentPlace;
  readonly owner: DeploymentOwner | undefined;
  readonly fingerprint: Fingerprint;
  readonly now: number;
}

export interface Founded {
  readonly deployment: Deployment;
  /** By reference; to be sealed and stored with the deployment. */
  readonly secrets: Readonly<Record<string, Json>>;
}

const UNRESOLVED: PlacementStatus = { kind: 'unresolved', excluded: [], retained: [], missing: [], held: [] };

/** The draft must have no faults. The caller checks that the name is free. */
export function newDeployment(draft: DeploymentDraft, founding: Founding): Founded {
  const { uid, name, workspace, owner, fingerprint, now } = founding;
  const { spec, secrets } = sealSpec(specOf(draft), fingerprint);
  const deployment: Deployment = {
    uid,
    name,
    workspace,
    labels: sortedLabels(draft.labels ?? {}),
    spec,
    rolloutState: draft.rolloutState ?? 'running',
    owner,
    deletion: undefined,
    generation: 1,
    observedGeneration: 0,
    revision: 0,
    rollout: undefined,
    status: { conditions: [], placement: UNRESOLVED, counts: NO_COUNTS },
    version: 1,
    createTime: now,
    updateTime: now,
  };
  const status = { ...deployment.status, conditions: conditionsOf(deployment, now) };
  return { deployment: { ...deployment, status }, secrets };
}
