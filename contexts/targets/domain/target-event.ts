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
  'target.deleted',
] as const;
export type TargetEventType = (typeof TARGET_EVENTS)[number];

/** Something that happened to a target. It concerns the workspace that `target` is in. */
export type TargetEvent =
  | {
      readonly type: Exclude<TargetEventType, 'target.placementChanged' | 'target.propertiesChanged'>;
      /** As it is afterwards; as it was last, once it has left the workspace or is deleted. */
      readonly target: Target;
    }
  | {
      readonly type: 'target.placementChanged';
      readonly target: Target;
      readonly fields: readonly PlacementField[];
      /** JSON pointers to what differs of that, as a manifest reads it: `/labels/env`, `/manifestTypes`. */
      readonly paths: readonly string[];
    }
  /** The pointers are into what person and agent say together: `/properties/registry/host`. */
  | { readonly type: 'target.propertiesChanged'; readonly target: Target; readonly paths: readonly string[] };

/**
 * What to tell of a change, in order.
 *
 * DECISION: every property that changed is told, and not only those that somebody reads at the moment. Who reads what
 * changes with each deployment, and whoever looked it up beside the transaction would miss a change now and then.
 */
export function eventsOf(before: Target, after: Target): TargetEvent[] {
  if (before === after) return [];
  const events: TargetEvent[] = [];
  if (before.workspace.name !== after.workspace.name) {
    // Whoever looks at the old workspace learns that it left, and not where to.
    events.push({ type: 'target.removed', target: before }, { type: 'target.assigned', target: after });
  }
  if (before.connection === after.connection) events.push({ type: 'target.updated', target: after });
  const fields = placementChanges(before, after);
  if (fields.length > 0) {
    events.push({ type: 'target.placementChanged', target: after, fields, paths: changedInView(before, after) });
  }
  const paths = changedPaths(propertiesOf(before), propertiesOf(after), '/properties');
  if (paths.length > 0) events.push({ type: 'target.propertiesChanged', target: after, paths });
  // That it is still connected is in its last seen time, and is not worth an event.
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
