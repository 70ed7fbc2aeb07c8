import type { Json } from '#kit/std';
import { escapePointer, type FieldFault, labelFaults, REDACTED } from '#kit/std';
import type { HealthRule } from '#protocol/delivery';
import { shareFaults } from '../budget/share.ts';
import { valueFaults } from '../manifest/document-faults.ts';
import { groupFaults } from '../manifest/group/deployment-group.ts';
import { isList, isObject } from '../manifest/json.ts';
import { type ManifestRegistry, parseManifest } from '../manifest/manifest-strategy.ts';
import { placementFaults } from '../placement/placement-faults.ts';
import type { PlacementRegistry } from '../placement/placement-registry.ts';
import type { GateRegistry } from '../rollout/gates/gate.ts';
import { type RolloutRegistry, rolloutFaults } from '../rollout/rollout-strategy.ts';
import type { PlacementView } from '../target-view.ts';
import { type DeploymentDraft, specOf } from './deployment-draft.ts';
import { groupIn } from './drafts-in.ts';

/** What this instance knows how to deploy, place and roll out. */
export interface SpecRules {
  readonly manifests: ManifestRegistry;
  readonly placements: PlacementRegistry;
  readonly rollouts: RolloutRegistry;
  readonly gates: GateRegistry;
  /** What a schema sees: fields that are unknown, missing or of the wrong kind. */
  readonly shape: (draft: Json, at: string) => readonly FieldFault[];
  /** What is wrong with a health rule's expression; `undefined` when nothing is. */
  readonly expressionFault: (expression: string) => string | undefined;
}

export interface DraftCheck {
  readonly rules: SpecRules;
  /** The targets of the workspace and below it. */
  readonly pool: readonly PlacementView[];
}

/** What a schema sees, of the children of a group too. Whatever looks deeper relies on there being nothing. */
export function shapeFaults(draft: DeploymentDraft, rules: SpecRules, at = ''): readonly FieldFault[] {
  const faults = rules.shape(draft as unknown as Json, at);
  const group = faults.length > 0 ? undefined : groupIn(draft);
  if (group === undefined) return faults;
  return group.deployments.flatMap((child, index) => shapeFaults(child, rules, `${at}/manifest/deployments/${index}`));
}

/** All else that is wrong with a draft, the children of a group included. */
export function draftFaults(draft: DeploymentDraft, check: DraftCheck): readonly FieldFault[] {
  return contentFaults(draft, check, '');
}

function contentFaults(draft: DeploymentDraft, check: DraftCheck, at: string): readonly FieldFault[] {
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

/** Groups within a group are gone through by whoever goes through the group. */
function childFaults(child: DeploymentDraft, check: DraftCheck, at: string): readonly FieldFault[] {
  return groupIn(child) === undefined ? contentFaults(child, check, at) : wishFaults(child, check, at);
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

/** Somebody copied what he was shown. Taken for the secret, it would replace the real one everywhere. */
function maskFaults(value: Json, at: string): readonly FieldFault[] {
  if (value === REDACTED) return [{ path: at, message: 'is a masked secret; send the secret itself, or leave it out' }];
  if (isList(value)) return value.flatMap((item, index) => maskFaults(item, `${at}/${index}`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, field]) => maskFaults(field, `${at}/${escapePointer(key)}`));
}
