import type { Json, JsonObject } from '#kit/std';
import { canonicalJson, type LabelsPatch, mergeLabels, sortedLabels } from '#kit/std';
import type { DriftPolicy, HealthRule } from '#protocol/delivery';
import { isObject } from '../manifest/json.ts';
import { mergeValues } from '../manifest/merge-values.ts';
import type { Fingerprint } from '../manifest/split-secrets.ts';
import type { PlacementSpec } from '../placement/placement-strategy.ts';
import type { Deployment, DeploymentSpec, DesiredRolloutState } from './deployment.ts';
import { type DeploymentDraft, specOf } from './deployment-draft.ts';
import { sealSpec } from './sealed-spec.ts';
import { changed } from './status/with-status.ts';
import { SPEC_AXES, type SpecAxis } from './trigger.ts';

/** A JSON merge patch (RFC 7396): absent fields stay, `null` removes a field. Lists are replaced as a whole. */
export interface DeploymentPatch {
  readonly labels?: LabelsPatch;
  readonly manifest?: JsonObject;
  readonly placement?: readonly PlacementSpec[] | null;
  readonly rollout?: JsonObject | null;
  readonly healthRules?: readonly HealthRule[] | null;
  readonly driftPolicy?: DriftPolicy | null;
  readonly namespace?: string | null;
  readonly config?: JsonObject | null;
  readonly rolloutState?: DesiredRolloutState;
}

/** The result of a patch or a new draft. */
export interface DeploymentChange {
  /** The very same object when nothing changes. */
  readonly deployment: Deployment;
  /** The parts of the spec that changed. */
  readonly axes: readonly SpecAxis[];
  /** By reference; to be sealed and stored with the deployment. */
  readonly secrets: Readonly<Record<string, Json>>;
}

/** The draft that would produce the deployment with the patch applied. It is not validated here. */
export function patchedDraft(draft: DeploymentDraft, patch: DeploymentPatch): DeploymentDraft {
  const { labels, manifest, rollout, config, ...rest } = patch;
  const merged = {
    ...draft,
    ...rest,
    labels: mergeLabels(draft.labels ?? {}, labels),
    ...(manifest === undefined ? {} : { manifest: mergedChoice(draft.manifest as JsonObject, manifest) }),
    ...(rollout === undefined ? {} : { rollout: rollout && mergedChoice(draft.rollout as JsonObject, rollout) }),
    ...(config === undefined ? {} : { config: config && mergeValues(draft.config ?? {}, config) }),
  };
  const kept = Object.entries(merged).filter(([, value]) => value !== null);
  // The shape of the result is validated with everything else.
  return Object.fromEntries(kept) as unknown as DeploymentDraft;
}

/** The draft must have no faults. */
export function redrafted(
  deployment: Deployment,
  draft: DeploymentDraft,
  { fingerprint, now }: { readonly fingerprint: Fingerprint; readonly now: number },
): DeploymentChange {
  const { spec, secrets } = sealSpec(specOf(draft), fingerprint);
  const axes = SPEC_AXES.filter((axis) => partOf(deployment.spec, axis) !== partOf(spec, axis));
  const next = {
    labels: sortedLabels(draft.labels ?? {}),
    rolloutState: draft.rolloutState ?? deployment.rolloutState,
    ...(axes.length === 0 ? {} : { spec, generation: deployment.generation + 1 }),
  };
  return { deployment: changed(deployment, next, now), axes, secrets };
}

/**
 * DECISION: a patch with another `type` replaces the whole choice. The fields of one type mean nothing to another, so a
 * merge would always be refused because of the fields left over.
 */
function mergedChoice(current: JsonObject | undefined, patch: JsonObject): JsonObject {
  const isOther = patch['type'] !== undefined && patch['type'] !== current?.['type'];
  return mergeValues(isOther || !isObject(current) ? {} : current, patch);
}

/** Everything that documents are generated from belongs to the manifest axis. */
function partOf({ placement, rollout, ...generated }: DeploymentSpec, axis: SpecAxis): string {
  const parts = { manifest: generated, placement, rollout };
  return canonicalJson(parts[axis]);
}
