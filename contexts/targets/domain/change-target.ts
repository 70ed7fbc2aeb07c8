import { type Labels, type LabelsPatch, mergeLabels, sameJson, sameLabels, sortedLabels } from '#kit/std';
import { type ObservedCondition, sameConditions, withConditions } from './conditions.ts';
import { mergeProperties, movedFaults, type Properties, type PropertiesPatch } from './properties.ts';
import { type Lifecycle, sameList, sortedTypes, type Target, type TargetPlace, targetFaults } from './target.ts';
import { invalidTarget, TargetError } from './target-error.ts';

/** A JSON merge patch (RFC 7396): absent fields stay unchanged, `null` removes. Manifest types are replaced as a whole. */
export interface TargetPatch {
  readonly labels?: LabelsPatch;
  readonly properties?: PropertiesPatch;
  readonly advertisedManifestTypes?: readonly string[] | null;
}

/**
 * An agent's report on its target. Level-triggered: present fields replace those of earlier reports, absent fields stay
 * unchanged. Conditions are merged by type, because other components report conditions too.
 */
export interface TargetReport {
  readonly labels?: Labels;
  readonly properties?: Properties;
  readonly advertisedManifestTypes?: readonly string[];
  readonly conditions?: readonly ObservedCondition[];
}

/** All of these return the same object when nothing changes, so that nothing is written or announced. */
export function patchTarget(target: Target, patch: TargetPatch, now: number): Target {
  const { advertisedManifestTypes: types } = patch;
  const moved = movedFaults(patch.properties, '/properties');
  if (moved.length > 0) throw invalidTarget(moved);
  return asked(
    target,
    {
      labels: mergeLabels(target.labels, patch.labels),
      properties: mergeProperties(target.properties, patch.properties),
      advertisedManifestTypes: types === undefined ? target.advertisedManifestTypes : sortedTypes(types ?? []),
    },
    now,
  );
}

export function assignTarget(target: Target, workspace: TargetPlace, now: number): Target {
  return asked(target, { workspace }, now);
}

/** From now on it is another name of that target. */
export function mergeTarget(target: Target, into: Target, now: number): Target {
  return asked(target, { aliasOf: into.name }, now);
}

/** A deprovisioning target is not brought back: its infrastructure may be gone already. */
export function withLifecycle(target: Target, lifecycle: Lifecycle, now: number): Target {
  if (target.lifecycle === 'Deprovisioning' && lifecycle !== 'Deprovisioning') {
    throw new TargetError(
      'LIFECYCLE_CONFLICT',
      `Target ${target.name} is being deprovisioned and can be neither cordoned nor uncordoned. Register a new one.`,
      { details: { lifecycle: target.lifecycle } },
    );
  }
  return asked(target, { lifecycle }, now);
}

/** An agent's report is not a user's request: the generation stays the same. */
export function reportTarget(target: Target, report: TargetReport, now: number): Target {
  const { labels, properties, advertisedManifestTypes: types, conditions = [] } = report;
  return changed(
    target,
    {
      reportedLabels: labels === undefined ? target.reportedLabels : sortedLabels(labels),
      reportedProperties: properties ?? target.reportedProperties,
      advertisedManifestTypes: types === undefined ? target.advertisedManifestTypes : sortedTypes(types),
      conditions: withConditions(target.conditions, conditions, now),
    },
    now,
  );
}

type Its = Partial<Target>;

function asked(target: Target, its: Its, now: number): Target {
  const next = changed(target, its, now);
  return next === target ? target : { ...next, generation: target.generation + 1 };
}

function changed(target: Target, its: Its, now: number): Target {
  const next = { ...target, ...its };
  if (isSame(target, next)) return target;
  const faults = targetFaults(next);
  if (faults.length > 0) throw invalidTarget(faults);
  // A clock that was set back must not make a change look older than the previous one.
  return { ...next, version: target.version + 1, updateTime: Math.max(now, target.updateTime) };
}

function isSame(a: Target, b: Target): boolean {
  return (
    a.workspace.name === b.workspace.name &&
    a.lifecycle === b.lifecycle &&
    a.aliasOf === b.aliasOf &&
    sameLabels(a.labels, b.labels) &&
    sameLabels(a.reportedLabels, b.reportedLabels) &&
    sameJson(a.properties, b.properties) &&
    sameJson(a.reportedProperties, b.reportedProperties) &&
    sameList(a.advertisedManifestTypes, b.advertisedManifestTypes) &&
    sameConditions(a.conditions, b.conditions)
  );
}
