import { type FieldFault, parseUuid, StdError } from '#kit/std';
import type { PlacementView } from '../target-view.ts';
import type { PlacementStrategy } from './placement-strategy.ts';

/** `targets` are names or uids. */
export type StaticPlacement = { readonly type: 'static'; readonly targets: readonly string[] };

export const staticPlacement: PlacementStrategy<StaticPlacement> = {
  type: 'static',
  chooses: 'each',
  faults({ targets }, { at, pool }) {
    const find = pool && finder(pool);
    const seen = new Set<string>();
    return targets.flatMap((ref, index) => {
      const path = `${at}/targets/${index}`;
      if (seen.has(ref)) return [{ path, message: `names ${ref} a second time` }];
      seen.add(ref);
      return find === undefined || find(ref) !== undefined ? [] : [outsideFault(ref, path)];
    });
  },
  reach: ({ targets }) => ({ refs: targets }),
  choose({ targets }, pool) {
    const find = finder(pool);
    const found = targets.map((ref) => ({ ref, target: find(ref) }));
    return {
      // A target may be listed by name and by uid.
      chosen: [...new Set(found.flatMap(({ target }) => target?.id ?? []))],
      missing: found.filter(({ target }) => target === undefined).map(({ ref }) => ref),
    };
  },
};

/**
 * DECISION: anything that looks like a uid is a uid, never a name. Otherwise a target named like another target's uid
 * would take that target's place once it is deleted.
 */
function finder(pool: readonly PlacementView[]): (ref: string) => PlacementView | undefined {
  const byId = new Map<string, PlacementView>(pool.map((target) => [target.id, target]));
  const byName = new Map(pool.map((target) => [target.name, target]));
  return (ref) => byId.get(ref) ?? (isUuid(ref) ? undefined : byName.get(ref));
}

function isUuid(ref: string): boolean {
  try {
    parseUuid(ref);
    return true;
  } catch (error) {
    if (error instanceof StdError) return false;
    throw error;
  }
}

function outsideFault(ref: string, path: string): FieldFault {
  return { path, message: `names ${ref}, which is not a target of this workspace or below it` };
}
