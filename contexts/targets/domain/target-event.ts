import { type PlacementField, placementChanges, placementViewOf } from './placement-view.ts';
import { allProperties, changedPaths } from './properties.ts';
import type { Target } from './target.ts';

export const TARGET_EVENTS = [
  'target.created',
  'target.updated',
  'target.removed',
  'target.assigned',
  'target.placementChanged',
  'target.propertiesChanged',
  'target.connectionChanged',
  'target.merged',
  'target.deleted',
] as const;
export type TargetEventType = (typeof TARGET_EVENTS)[number];

/** An event of a target, in the workspace that `target` is in. */
export type TargetEvent =
  | {
      readonly type: Exclude<TargetEventType, 'target.placementChanged' | 'target.propertiesChanged'>;
      /** The state after the change; the last state once it has left the workspace or is deleted. */
      readonly target: Target;
    }
  | {
      readonly type: 'target.placementChanged';
      readonly target: Target;
      readonly fields: readonly PlacementField[];
      /** JSON pointers to the differences, as manifests see them: `/labels/env`, `/manifestTypes`. */
      readonly paths: readonly string[];
    }
  /** JSON pointers into the merged properties: `/properties/registry/host`. */
  | { readonly type: 'target.propertiesChanged'; readonly target: Target; readonly paths: readonly string[] };

/**
 * The events of a change, in order.
 *
 * DECISION: every changed property is announced, not only those that some deployment reads at the moment. The set of readers
 * changes with each deployment, and a lookup outside the transaction would miss a change now and then.
 */
export function eventsOf(before: Target, after: Target): TargetEvent[] {
  if (before === after) return [];
  const events: TargetEvent[] = [];
  if (before.workspace.name !== after.workspace.name) {
    // Observers of the old workspace learn that the target left, but not where it went.
    events.push({ type: 'target.removed', target: before }, { type: 'target.assigned', target: after });
  }
  if (before.connection === after.connection) events.push({ type: 'target.updated', target: after });
  if (before.aliasOf === undefined && after.aliasOf !== undefined)
    events.push({ type: 'target.merged', target: after });
  const fields = placementChanges(before, after);
  if (fields.length > 0) {
    events.push({ type: 'target.placementChanged', target: after, fields, paths: changedInView(before, after) });
  }
  const paths = changedPaths(propertiesOf(before), propertiesOf(after), '/properties');
  if (paths.length > 0) events.push({ type: 'target.propertiesChanged', target: after, paths });
  // A refreshed last-seen time is not worth an event.
  if (before.connection.state !== after.connection.state) {
    events.push({ type: 'target.connectionChanged', target: after });
  }
  return events;
}

function changedInView(before: Target, after: Target): string[] {
  const [a, b] = [placementViewOf(before), placementViewOf(after)];
  return [
    ...changedPaths(a.labels, b.labels, '/labels'),
    ...changedPaths(a.advertisedManifestTypes, b.advertisedManifestTypes, '/manifestTypes'),
  ];
}

function propertiesOf({ properties, reportedProperties }: Target) {
  return allProperties(properties, reportedProperties);
}
