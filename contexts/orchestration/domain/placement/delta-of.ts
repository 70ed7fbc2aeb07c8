import type { TargetId } from '#protocol/targets';
import { atLeastOne, resolveShare, type Share } from '../budget/budget.ts';
import type { Exclusion } from './exclusion.ts';
import { causeOf, isVanished, type RecordedCauses, type RemovalCause } from './removal-cause.ts';
import type { Bound, Resolution } from './resolve-placement.ts';

/**
 * The changes to make. Every previously placed target is in exactly one of `removed`, `unchanged` and `held`, and every
 * newcomer in `added` or `waiting`. Lists are sorted, and all of it is JSON.
 */
export interface Delta {
  readonly added: readonly TargetId[];
  readonly removed: readonly Removal[];
  readonly unchanged: readonly TargetId[];
  /** Targets that would leave. They stay members until the removal is confirmed or the doubt is gone. */
  readonly held: readonly Hold[];
  /** Newcomers for which there is no room while others are held. */
  readonly waiting: readonly Waiting[];
}

export interface Removal {
  readonly id: TargetId;
  readonly cause: RemovalCause;
}

export interface Hold {
  readonly id: TargetId;
  readonly why: HoldReason;
  readonly message: string;
}

/**
 * `NoCause`: no recorded cause explains the removal. `MaxRemoval`: more targets would leave than may at once.
 * `MovesUnfinished`: they would together with those that are still to lose the deployment.
 */
export type HoldReason = 'NoCause' | 'MaxRemoval' | 'MovesUnfinished';

/** A newcomer that would be one too many as long as others are held: a move is one step. */
export interface Waiting {
  readonly id: TargetId;
  readonly why: 'NoRoom';
  readonly message: string;
}

export interface DeltaOptions {
  readonly causes: RecordedCauses;
  readonly maxRemoval?: Share;
  /** Targets whose removal a user has confirmed. It only counts for targets that the resolution leaves out. */
  readonly confirmed?: ReadonlySet<TargetId>;
  /** Targets that left earlier and still have the content. */
  readonly leaving?: ReadonlySet<TargetId>;
}

/** Doubt never shrinks a fleet: a target leaves only for a recorded cause, within `maxRemoval`, or after confirmation. */
export function deltaOf(previous: ReadonlySet<TargetId>, resolution: Resolution, options: DeltaOptions): Delta {
  if (resolution.kind === 'unsure') return { ...NOTHING, unchanged: [...previous].sort() };
  const { targets, excluded } = resolution;
  const placed = new Set(targets);
  const leaving = leavingOf([...previous].filter((id) => !placed.has(id)).sort(), excluded, options);
  const max = options.maxRemoval ?? DEFAULT_MAX_REMOVAL;
  const limit = removalLimit(max, previous.size);
  // All of them wait, instead of letting the allowed number go: otherwise a wrong selector would remove the fleet bit by
  // bit.
  const going = leaving.filter(({ cause }) => cause !== undefined && !isVanished(cause)).length;
  const underWay = [...(options.leaving ?? [])].filter((id) => !placed.has(id)).length;
  // While a rollout runs there are more members than the bound: those that moves leave behind do not allow more moves.
  const mostMoves = removalLimit(max, Math.min(previous.size, resolution.bound?.most ?? previous.size));

  const removed: Removal[] = [];
  const held: Hold[] = [];
  for (const { exclusion, cause, isConfirmed } of leaving) {
    const { id, why, message } = exclusion;
    const isFree = cause !== undefined && (isConfirmed || isVanished(cause));
    if (cause === undefined) held.push({ id, why: 'NoCause', message });
    else if (!isFree && going > limit) held.push({ id, why: 'MaxRemoval', message });
    else if (!isFree && cause === 'outscored' && going > mostMoves) held.push({ id, why: 'MaxRemoval', message });
    else if (!isFree && why === 'Outscored' && going + underWay > mostMoves) held.push(unfinished(exclusion));
    else removed.push({ id, cause });
  }
  const unchanged = targets.filter((id) => previous.has(id));
  const newcomers = targets.filter((id) => !previous.has(id));
  const members = unchanged.length + held.length;
  return { ...admitted(newcomers, { ...resolution, members, leaving: options.leaving }), removed, unchanged, held };
}

const NOTHING = { added: [], removed: [], unchanged: [], held: [], waiting: [] } as const;

/** Scores may change faster than targets lose the deployment, so that moves add up. */
function unfinished({ id, message }: Exclusion): Hold {
  return { id, why: 'MovesUnfinished', message: `${message}; earlier moves have not ended` };
}

interface Admission {
  readonly bound?: Bound;
  /** How many targets keep the deployment. */
  readonly members: number;
  readonly leaving: ReadonlySet<TargetId> | undefined;
}

/**
 * A target that wants back before it lost the deployment comes first: it has the content already. So moves under way
 * never grow beyond what may be removed at once.
 */
function admitted(
  newcomers: readonly TargetId[],
  { bound, members, leaving }: Admission,
): Pick<Delta, 'added' | 'waiting'> {
  if (bound === undefined) return { added: newcomers, waiting: [] };
  const come = new Set(newcomers);
  const ranked = bound.best.filter((id) => come.has(id));
  const { back = [], fresh = [] } = Object.groupBy(ranked, (id) => (leaving?.has(id) ? 'back' : 'fresh'));
  const room = Math.max(0, bound.most - members);
  const message = `there is room for ${bound.most}, and a target that would leave is held`;
  return {
    added: [...back, ...fresh].slice(0, room).sort(),
    waiting: [...back, ...fresh]
      .slice(room)
      .sort()
      .map((id) => ({ id, why: 'NoRoom', message })),
  };
}

/** A deleted deployment is removed everywhere. Deleting it counts as confirmation. */
export function deltaOfDeletion(previous: ReadonlySet<TargetId>): Delta {
  const removed = [...previous].sort().map((id) => ({ id, cause: 'deploymentDeleted' as const }));
  return { ...NOTHING, removed };
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
