import type { Json, JsonObject } from '#kit/std';
import { canonicalJson, type LabelsPatch, mergeLabels, sortedLabels } from '#kit/std';
import type { DriftPolicy, HealthRule } from '#protocol/delivery';
import { isObject } from '../manifest/json.ts';
import { mergeValues } from '../manifest/merge-values.ts';
import type { Fingerprint } from '../manifest/split-secrets.ts';
import type { PlacementSpec } from '../placement/placement-strategy.ts';
import type { Deployment, DeploymentSpec, RolloutWish } from './deployment.ts';
import { type DeploymentDraft, specOf } from './deployment-draft.ts';
import { sealSpec } from './sealed-spec.ts';
import { SPEC_AXES, type SpecAxis } from './trigger.ts';
import { changed } from './with-status.ts';

/** A JSON merge patch (RFC 7396): what is absent stays, `null` takes away. Lists are replaced as a whole. */
export interface DeploymentPatch {
  readonly labels?: LabelsPatch;
  readonly manifest?: JsonObject;
  readonly placement?: readonly PlacementSpec[] | null;
  readonly rollout?: JsonObject | null;
  readonly healthRules?: readonly HealthRule[] | null;
  readonly driftPolicy?: DriftPolicy | null;
  readonly namespace?: string | null;
  readonly config?: JsonObject | null;
  readonly rolloutState?: RolloutWish;
}

/** What a deployment becomes by a patch or a new draft. */
export interface DeploymentChange {
  /** The very same value when nothing changes. */
  readonly deployment: Deployment;
  /** What of the spec is another. */
  readonly axes: readonly SpecAxis[];
  /** To be sealed beside it, by reference. */
  readonly secrets: Readonly<Record<string, Json>>;
}

/** What somebody would write down to get the deployment with the patch. Whether it may be so is another question. */
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
  // The shape of what came out of it is looked at with all else.
  return Object.fromEntries(kept) as unknown as DeploymentDraft;
}

/** Of a draft without faults. */
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
 * DECISION: with another `type` the patch replaces what was there. The fields of one type mean nothing to another, so
 * that a merge would only ever be refused for those that are left over.
 */
function mergedChoice(current: JsonObject | undefined, patch: JsonObject): JsonObject {
  const isOther = patch['type'] !== undefined && patch['type'] !== current?.['type'];
  return mergeValues(isOther || !isObject(current) ? {} : current, patch);
}

/** All that is generated from goes with the manifest. */
function partOf({ placement, rollout, ...generated }: DeploymentSpec, axis: SpecAxis): string {
  const parts = { manifest: generated, placement, rollout };
  return canonicalJson(parts[axis]);
}
