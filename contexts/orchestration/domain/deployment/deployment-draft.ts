import { type Json, type JsonObject, type Labels, type ResourceName, sortedLabels } from '#kit/std';
import type { DriftPolicy, HealthRule } from '#protocol/delivery';
import type { DeploymentGroupSpec } from '../manifest/group/deployment-group.ts';
import { hideManifest, type ManifestRegistry, type ManifestSpec } from '../manifest/manifest-strategy.ts';
import type { Fingerprint } from '../manifest/split-secrets.ts';
import type { PlacementRegistry } from '../placement/placement-registry.ts';
import type { PlacementSpec } from '../placement/placement-strategy.ts';
import type { RolloutSpec } from '../rollout/rollout-strategy.ts';
import type {
  Deployment,
  DeploymentId,
  DeploymentOwner,
  DeploymentPlace,
  DeploymentSpec,
  DesiredRolloutState,
} from './deployment.ts';
import { sealSpec } from './sealed-spec.ts';
import { conditionsOf } from './status/conditions.ts';
import { NO_COUNTS } from './status/counts-after.ts';
import type { PlacementStatus } from './status/deployment-status.ts';

/** A deployment as written by its author, with secrets marked. */
export interface DeploymentDraft {
  readonly labels?: Labels;
  readonly manifest: ManifestSpec;
  readonly placement?: readonly PlacementSpec[];
  readonly rollout?: RolloutSpec;
  readonly healthRules?: readonly HealthRule[];
  readonly driftPolicy?: DriftPolicy;
  readonly namespace?: string;
  readonly config?: JsonObject;
  readonly rolloutState?: DesiredRolloutState;
}

/** A group is done when its children are, and they may wait for approvals. */
const GROUP_DEADLINE = '30d';

/** Fills in the defaults. A deployment without a placement has no targets: none are guessed. */
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

/**
 * The draft that would produce the deployment as it is. `spec` is its spec with secrets joined back in, as it was sent.
 */
export function draftOf({ labels, rolloutState }: Deployment, spec: DeploymentSpec): DeploymentDraft {
  return { ...spec, labels, rolloutState };
}

export function groupIn({ manifest }: DeploymentDraft): DeploymentGroupSpec | undefined {
  // The shape of a manifest is chosen by its type.
  return manifest.type === 'deploymentGroup' ? (manifest as unknown as DeploymentGroupSpec) : undefined;
}

/**
 * The types of the placements in the draft and, for a group, in those of its children at any depth. The shape must have
 * been checked before.
 *
 * DECISION: `local` of a group itself does not count. It lives on the platform, but all it can create there are deployments
 * of its own workspace, which its author may create anyway; its children are checked one by one.
 */
export function placementTypesIn(draft: DeploymentDraft): ReadonlySet<string> {
  const own = new Set((draft.placement ?? []).map(({ type }) => type));
  const group = groupIn(draft);
  if (group === undefined) return own;
  own.delete('local');
  return group.deployments.reduce((types, child) => types.union(placementTypesIn(child)), own);
}

/** The targets that the draft names one by one, those of its children included: they have to exist. */
export function targetsNamedIn(draft: DeploymentDraft, placements: PlacementRegistry): readonly string[] {
  const own = (draft.placement ?? []).flatMap((spec) => {
    const reach = placements.get(spec.type)?.reach?.(spec) ?? 'all';
    return reach === 'all' ? [] : reach.refs;
  });
  const children = groupIn(draft)?.deployments ?? [];
  return [...new Set([...own, ...children.flatMap((child) => targetsNamedIn(child, placements))])];
}

/**
 * The draft as it is stored, children included: secrets that the manifest strategies recognize are marked in addition to
 * those already marked.
 */
export function hideSecrets(draft: DeploymentDraft, manifests: ManifestRegistry): DeploymentDraft {
  const group = groupIn(draft);
  if (group === undefined) return { ...draft, manifest: hideManifest(draft.manifest, manifests) };
  const deployments = group.deployments.map((child) => ({ ...child, ...hideSecrets(child, manifests) }));
  return { ...draft, manifest: { ...draft.manifest, deployments } };
}

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
