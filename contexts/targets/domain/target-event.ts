import { type PlacementField, placementChanges } from './placement-view.ts';
import { sameJson, valueAt } from './properties.ts';
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
  | { readonly type: 'target.placementChanged'; readonly target: Target; readonly fields: readonly PlacementField[] }
  | { readonly type: 'target.propertiesChanged'; readonly target: Target; readonly paths: readonly string[] };

/** What to tell of a change, in order; `subscribed` are JSON pointers into the target. */
export function eventsOf(before: Target, after: Target, subscribed: readonly string[]): TargetEvent[] {
  if (before === after) return [];
  const events: TargetEvent[] = [];
  if (before.workspace.name !== after.workspace.name) {
    // Whoever looks at the old workspace learns that it left, and not where to.
    events.push({ type: 'target.removed', target: before }, { type: 'target.assigned', target: after });
  }
  if (before.connection === after.connection) events.push({ type: 'target.updated', target: after });
  const fields = placementChanges(before, after);
  if (fields.length > 0) events.push({ type: 'target.placementChanged', target: after, fields });
  const paths = changedPaths(before, after, subscribed);
  if (paths.length > 0) events.push({ type: 'target.propertiesChanged', target: after, paths });
  // That it is still connected is in its last seen time, and is not worth an event.
  if (before.connection.state !== after.connection.state) {
    events.push({ type: 'target.connectionChanged', target: after });
  }
  return events;
}

function changedPaths(before: Target, after: Target, subscribed: readonly string[]): string[] {
  const documentOf = ({ properties, reportedProperties }: Target) => ({ properties, reportedProperties });
  const [a, b] = [documentOf(before), documentOf(after)];
  return subscribed.filter((path) => !sameJson(valueAt(a, path), valueAt(b, path)));
}
