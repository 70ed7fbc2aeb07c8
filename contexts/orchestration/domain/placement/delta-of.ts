import type { TargetId } from '#protocol/targets';
import type { Share } from '../budget/share.ts';
import type { Exclusion } from './exclusion.ts';
import { DEFAULT_MAX_REMOVAL, removalLimit } from './max-removal.ts';
import { causeOf, isVanished, type RecordedCauses, type RemovalCause } from './removal-cause.ts';
import type { Resolution } from './resolve-placement.ts';

/**
 * What changes. Everyone who was placed is in exactly one of `removed`, `unchanged` and `held`. Lists are in order, and
 * all of it is JSON.
 */
export interface Delta {
  readonly added: readonly TargetId[];
  readonly removed: readonly Removal[];
  readonly unchanged: readonly TargetId[];
  /** They would go, and are members like any other until somebody confirms it or the doubt is gone. */
  readonly held: readonly Hold[];
}

export interface Removal {
  readonly id: TargetId;
  readonly cause: RemovalCause;
}

export interface Hold {
  readonly id: TargetId;
  /** `NoCause`: nothing on record accounts for it. `MaxRemoval`: it is one of more than may go at once. */
  readonly why: 'NoCause' | 'MaxRemoval';
  readonly exclusion: Exclusion;
}

export interface DeltaOptions {
  readonly causes: RecordedCauses;
  readonly maxRemoval?: Share;
  /** Whose removal a person has confirmed. It counts only for those whom the resolution leaves out. */
  readonly confirmed?: ReadonlySet<TargetId>;
}

/** Doubt never shrinks a fleet: who has it loses it for a cause that is on record, few at a time, or by confirmation. */
export function deltaOf(previous: ReadonlySet<TargetId>, resolution: Resolution, options: DeltaOptions): Delta {
  if (resolution.kind === 'unsure') return { added: [], removed: [], unchanged: [...previous].sort(), held: [] };
  const { targets, excluded } = resolution;
  const placed = new Set(targets);
  const leaving = leavingOf([...previous].filter((id) => !placed.has(id)).sort(), excluded, options);
  const limit = removalLimit(options.maxRemoval ?? DEFAULT_MAX_REMOVAL, previous.size);
  // All of them wait, rather than as many going as may: else a wrong selector would eat the fleet in bites.
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

/** When the deployment goes, it goes from everywhere. Whoever deletes it has confirmed that. */
export function deltaOfDeletion(previous: ReadonlySet<TargetId>): Delta {
  const removed = [...previous].sort().map((id) => ({ id, cause: 'deploymentDeleted' as const }));
  return { added: [], removed, unchanged: [], held: [] };
}

/** Who is placed from now on: the previous set of the next resolution. */
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
    // A resolution that says nothing of one that was placed was made without knowing of it, which is doubt.
    const exclusion = byId.get(id) ?? { id, why: 'Gone', message: 'is not in the resolution' };
    const isConfirmed = confirmed?.has(id) ?? false;
    return { exclusion, isConfirmed, cause: causeOf(exclusion, causes) ?? (isConfirmed ? 'confirmed' : undefined) };
  });
}
