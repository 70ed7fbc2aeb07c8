import type { TargetCause, TargetChange } from '#contexts/orchestration';
import type { PlacementField, PlacementView, TargetEventType } from '#contexts/targets';
import type { StoredEvent } from '#kit/storage/outbox';
import type { TargetResource } from '#protocol/api';
import type { TargetId } from '#protocol/targets';

/** The meaning of a target's event for deployments. */
export type TargetNews =
  | { readonly kind: 'change'; readonly change: TargetChange }
  /** It connected or disconnected. The current state is read from the table, since the event may be old. */
  | { readonly kind: 'connection'; readonly target: TargetId };

/** `target.updated` adds nothing to the others. */
export const TARGET_NEWS = [
  'target.created',
  'target.assigned',
  'target.removed',
  'target.placementChanged',
  'target.propertiesChanged',
  'target.connectionChanged',
  'target.merged',
  'target.deleted',
] as const satisfies readonly TargetEventType[];

export function targetNewsOf({ type, data }: Pick<StoredEvent, 'type' | 'data'>): TargetNews | undefined {
  switch (type) {
    case 'target.created':
    case 'target.assigned':
      return change(data as TargetResource, { fields: ['presence'] });
    case 'target.removed':
      return change(data as TargetResource, { fields: ['presence'], causes: ['move'] });
    case 'target.merged':
    case 'target.deleted':
      return change(data as TargetResource, { fields: ['presence'], causes: [causeOfDelete(data as TargetResource)] });
    case 'target.placementChanged':
      return placementChange(data as PlacementChanged);
    case 'target.propertiesChanged': {
      const { target, paths } = data as { readonly target: TargetResource; readonly paths: readonly string[] };
      return change(target, { paths });
    }
    case 'target.connectionChanged':
      return { kind: 'connection', target: (data as TargetResource).uid as TargetId };
    default:
      return undefined;
  }
}

interface PlacementChanged {
  readonly fields: readonly PlacementField[];
  readonly paths: readonly string[];
  readonly view: PlacementView;
}

const FIELDS = {
  labels: 'labels',
  advertisedManifestTypes: 'manifestTypes',
  lifecycle: 'lifecycle',
} as const satisfies Record<PlacementField, TargetChange['fields'][number]>;

function placementChange({ fields, paths, view }: PlacementChanged): TargetNews {
  const causes: TargetCause[] = fields.includes('labels') ? ['relabel'] : [];
  if (fields.includes('lifecycle') && view.lifecycle === 'Deprovisioning') causes.push('deprovisioned');
  return change({ uid: view.id }, { fields: fields.map((field) => FIELDS[field]), causes, paths });
}

/** From its last state. */
function causeOfDelete({ lifecycle }: TargetResource): TargetCause {
  if (lifecycle === 'Deprovisioning') return 'deprovisioned';
  return lifecycle === 'Cordoned' ? 'cordonAndDelete' : 'deleted';
}

function change({ uid }: { readonly uid: string }, its: Partial<TargetChange>): TargetNews {
  const nothing = { fields: [], causes: [], paths: [] };
  return { kind: 'change', change: { ...nothing, ...its, target: uid as TargetId } };
}
