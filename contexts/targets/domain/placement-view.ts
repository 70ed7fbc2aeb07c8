import { type Labels, type ResourceName, sameLabels, type Uuid } from '#kit/std';
import { type Lifecycle, sameList, type Target } from './target.ts';
import { allLabels } from './target-labels.ts';

/** Everything that placement may know of a target. Never its connection, so that a flapping link moves nothing. */
export interface PlacementView {
  readonly id: Uuid;
  readonly name: ResourceName;
  readonly type: string;
  /** The user's and the agent's labels. */
  readonly labels: Labels;
  readonly advertisedManifestTypes: readonly string[];
  readonly lifecycle: Lifecycle;
}

/** The fields that can change during the life of a target. */
const PLACEMENT_FIELDS = ['labels', 'advertisedManifestTypes', 'lifecycle'] as const;
export type PlacementField = (typeof PLACEMENT_FIELDS)[number];

export function placementViewOf(target: Target): PlacementView {
  const { uid, name, type, labels, reportedLabels, advertisedManifestTypes, lifecycle } = target;
  return { id: uid, name, type, labels: allLabels(labels, reportedLabels), advertisedManifestTypes, lifecycle };
}

export function placementChanges(before: Target, after: Target): readonly PlacementField[] {
  const [a, b] = [placementViewOf(before), placementViewOf(after)];
  const isChanged = {
    labels: !sameLabels(a.labels, b.labels),
    advertisedManifestTypes: !sameList(a.advertisedManifestTypes, b.advertisedManifestTypes),
    lifecycle: a.lifecycle !== b.lifecycle,
  } satisfies Record<PlacementField, boolean>;
  return PLACEMENT_FIELDS.filter((field) => isChanged[field]);
}
