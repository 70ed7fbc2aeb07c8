import type { Json } from '#kit/std';
import { escapePointer, type FieldFault, labelFaults, REDACTED } from '#kit/std';
import type { HealthRule } from '#protocol/delivery';
import { shareFaults } from '../budget/budget.ts';
import { valueFaults } from '../manifest/document-faults.ts';
import { groupFaults } from '../manifest/group/deployment-group.ts';
import { isList, isObject } from '../manifest/json.ts';
import { type ManifestRegistry, parseManifest } from '../manifest/manifest-strategy.ts';
import { placementFaults } from '../placement/placement-faults.ts';
import type { PlacementRegistry } from '../placement/placement-registry.ts';
import type { GateRegistry } from '../rollout/gates/gate.ts';
import { type RolloutRegistry, rolloutFaults } from '../rollout/rollout-strategy.ts';
import type { PlacementView } from '../target-view.ts';
import { type DeploymentDraft, groupIn, specOf } from './deployment-draft.ts';

/** The strategies and checks that this instance knows. */
export interface SpecRules {
  readonly manifests: ManifestRegistry;
  readonly placements: PlacementRegistry;
  readonly rollouts: RolloutRegistry;
  readonly gates: GateRegistry;
  /** Schema validation: fields that are unknown, missing or of the wrong kind. */
  readonly shape: (draft: Json, at: string) => readonly FieldFault[];
  /** The fault of a health rule's expression; `undefined` when it is valid. */
  readonly expressionFault: (expression: string) => string | undefined;
}

export interface DraftCheck {
  readonly rules: SpecRules;
  /** The targets of the workspace and of those below it. */
  readonly pool: readonly PlacementView[];
}

/** The schema faults of a draft, including the children of a group. Deeper checks run only on drafts without any. */
export function shapeFaults(draft: DeploymentDraft, rules: SpecRules, at = ''): readonly FieldFault[] {
  const faults = rules.shape(draft as unknown as Json, at);
  return faults.length > 0 ? faults : childShapeFaults(draft, rules, at);
}

/** Those of the children of a group, whose own draft has passed its schema. */
export function childShapeFaults(draft: DeploymentDraft, rules: SpecRules, at = ''): readonly FieldFault[] {
  const children = groupIn(draft)?.deployments ?? [];
  return children.flatMap((child, index) => shapeFaults(child, rules, `${at}/manifest/deployments/${index}`));
}

/** All other faults of a draft, including the children of a group. */
export function draftFaults(draft: DeploymentDraft, check: DraftCheck, at = ''): readonly FieldFault[] {
  return [...manifestFaults(draft, check, at), ...wishFaults(draft, check, at)];
}

function manifestFaults(draft: DeploymentDraft, check: DraftCheck, at: string): readonly FieldFault[] {
  const path = `${at}/manifest`;
  const group = groupIn(draft);
  if (group !== undefined) return groupFaults(group, path, (child, place) => childFaults(child, check, place));
  const masks = maskFaults(draft.manifest as Json, path);
  const parsed = parseManifest(draft.manifest, path, check.rules.manifests);
  const others = parsed.kind === 'faulty' ? parsed.faults : [];
  return [...masks, ...others.filter((fault) => !masks.some((mask) => mask.path === fault.path))];
}

/** `groupFaults` descends into groups within a group by itself. */
function childFaults(child: DeploymentDraft, check: DraftCheck, at: string): readonly FieldFault[] {
  return groupIn(child) === undefined ? draftFaults(child, check, at) : wishFaults(child, check, at);
}

/** Everything but the manifest. */
function wishFaults(draft: DeploymentDraft, { rules, pool }: DraftCheck, at: string): readonly FieldFault[] {
  const { placement, rollout, healthRules, config } = specOf(draft);
  return [
    ...labelFaults(draft.labels ?? {}, `${at}/labels`),
    ...placementFaults(placement, { registry: rules.placements, pool, at: `${at}/placement` }),
    ...rolloutFaults(rollout, rules.rollouts, { at: `${at}/rollout`, gates: rules.gates }),
    ...shareFaults(rollout.maxRemoval as string | number | undefined, `${at}/rollout/maxRemoval`),
    ...healthRules.flatMap((rule, index) => healthRuleFaults(rule, `${at}/healthRules/${index}`, rules)),
    ...maskFaults(config, `${at}/config`),
    ...valueFaults(config, `${at}/config`),
  ];
}

function healthRuleFaults({ healthy }: HealthRule, at: string, { expressionFault }: SpecRules): FieldFault[] {
  const message = expressionFault(healthy);
  return message === undefined ? [] : [{ path: `${at}/healthy`, message }];
}

/**
 * A masked secret was copied from an answer and sent back. Taken as the value, it would overwrite the real secret
 * everywhere.
 */
function maskFaults(value: Json, at: string): readonly FieldFault[] {
  if (value === REDACTED) return [{ path: at, message: 'is a masked secret; send the secret itself, or leave it out' }];
  if (isList(value)) return value.flatMap((item, index) => maskFaults(item, `${at}/${index}`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, field]) => maskFaults(field, `${at}/${escapePointer(key)}`));
}
