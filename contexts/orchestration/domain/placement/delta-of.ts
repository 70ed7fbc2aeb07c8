import type { TargetId } from '#protocol/targets';
import { atLeastOne, resolveShare, type Share } from '../budget/budget.ts';
import type { Exclusion } from './exclusion.ts';
import { causeOf, isVanished, type RecordedCauses, type RemovalCause } from './removal-cause.ts';
import type { Resolution } from './resolve-placement.ts';

/**
 * The changes to make. Every previously placed target is in exactly one of `removed`, `unchanged` and `held`. Lists are
 * sorted, and all of it is JSON.
 */
export interface Delta {
  readonly added: readonly TargetId[];
  readonly removed: readonly Removal[];
  readonly unchanged: readonly TargetId[];
  /** Targets that would leave. They stay members until the removal is confirmed or the doubt is gone. */
  readonly held: readonly Hold[];
}

export interface Removal {
  readonly id: TargetId;
  readonly cause: RemovalCause;
}

export interface Hold {
  readonly id: TargetId;
  /** `NoCause`: no recorded cause explains the removal. `MaxRemoval`: more targets would leave than may at once. */
  readonly why: 'NoCause' | 'MaxRemoval';
  readonly exclusion: Exclusion;
}

export interface DeltaOptions {
  readonly causes: RecordedCauses;
  readonly maxRemoval?: Share;
  /** Targets whose removal a user has confirmed. It only counts for targets that the resolution leaves out. */
  readonly confirmed?: ReadonlySet<TargetId>;
}

/** Doubt never shrinks a fleet: a target leaves only for a recorded cause, within `maxRemoval`, or after confirmation. */
export function deltaOf(previous: ReadonlySet<TargetId>, resolution: Resolution, options: DeltaOptions): Delta {
  if (resolution.kind === 'unsure') return { added: [], removed: [], unchanged: [...previous].sort(), held: [] };
  const { targets, excluded } = resolution;
  const placed = new Set(targets);
  const leaving = leavingOf([...previous].filter((id) => !placed.has(id)).sort(), excluded, options);
  const limit = removalLimit(options.maxRemoval ?? DEFAULT_MAX_REMOVAL, previous.size);
  // All of them wait, instead of letting the allowed number go: otherwise a wrong selector would remove the fleet bit by
  // bit.
  const isTooMany = leaving.filter(({ cause }) => cause !== undefined && !isVanished(cause)).length > limit;

  const removed: Removal[] = [];
  const held: Hold[] = [];
  for (const { exclusion, cause, isConfirmed } of leaving) {
    const { id } = exclusion;
    if (cause === undefined) held.push({ id, why: 'NoCause', exclusion });
    else if (isTooMany && !isConfirmed && !isVanished(cause)) held.push({ id, why: 'MaxRemoval', exclusion });
    else removed.push({ id, cause });
  }
  return {
    added: targets.filter((id) => !previous.has(id)),
    removed,
    unchanged: targets.filter((id) => previous.has(id)),
    held,
  };
}

/** A deleted deployment is removed everywhere. Deleting it counts as confirmation. */
export function deltaOfDeletion(previous: ReadonlySet<TargetId>): Delta {
  const removed = [...previous].sort().map((id) => ({ id, cause: 'deploymentDeleted' as const }));
  return { added: [], removed, unchanged: [], held: [] };
}

/** The targets placed from now on: the previous set of the next resolution. */
export function membersAfter({ added, unchanged, held }: Delta): readonly TargetId[] {
  return [...added, ...unchanged, ...held.map(({ id }) => id)].sort();
}

interface Leaving {
  readonly exclusion: Exclusion;
  readonly cause: RemovalCause | undefined;
  readonly isConfirmed: boolean;
}

function leavingOf(
  ids: readonly TargetId[],
  excluded: readonly Exclusion[],
  { causes, confirmed }: DeltaOptions,
): Leaving[] {
  const byId = new Map(excluded.map((exclusion) => [exclusion.id, exclusion]));
  return ids.map((id) => {
    // If the resolution does not mention a placed target, it was made without knowing of it, which is doubt.
    const exclusion = byId.get(id) ?? { id, why: 'Gone', message: 'is not in the resolution' };
    const isConfirmed = confirmed?.has(id) ?? false;
    return { exclusion, isConfirmed, cause: causeOf(exclusion, causes) ?? (isConfirmed ? 'confirmed' : undefined) };
  });
}

/** Of the placed set; at least one target. */
const DEFAULT_MAX_REMOVAL: Share = '10%';

/** How many targets of a set may leave without confirmation. Any percentage above 0 allows at least one. */
export function removalLimit(max: Share, setSize: number): number {
  const isSome = typeof max === 'string' && resolveShare(max, 100, 'down') > 0;
  return isSome ? atLeastOne(max, setSize) : resolveShare(max, setSize, 'down');
}
