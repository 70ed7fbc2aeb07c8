import type { PlacementView } from '../target-view.ts';

/** A target that may be picked, with its score before spreading is taken into account. */
export interface Contender {
  readonly target: PlacementView;
  readonly worth: number;
  readonly isPlaced: boolean;
}

/** The label to spread by, and how much each neighbour costs. */
export interface Spread {
  readonly label: string;
  readonly weight: number;
}

export interface Picking {
  readonly slots: number;
  readonly spread: Spread | undefined;
  /** Targets placed before any contender is picked. */
  readonly neighbours: readonly PlacementView[];
}

/**
 * Picks the best one after another, each seeing the neighbours picked before it. Ties go to targets placed already, since
 * a move should gain something, and then by name.
 *
 * Targets with the same label value are picked in their own order, whatever the others do. So a target's rank among them
 * tells how many neighbours it will have, and all can be sorted at once.
 */
export function pickBest(contenders: readonly Contender[], { slots, spread, neighbours }: Picking): PlacementView[] {
  const crowdOf = (target: PlacementView): string | undefined =>
    spread && Object.hasOwn(target.labels, spread.label) ? target.labels[spread.label] : undefined;
  const there = Map.groupBy(neighbours, crowdOf);
  const ranked = [...Map.groupBy(contenders, ({ target }) => crowdOf(target))].flatMap(([crowd, members]) => {
    const before = there.get(crowd)?.length ?? 0;
    return members
      .toSorted(better)
      .map((it, index) => ({ ...it, worth: it.worth - (spread?.weight ?? 0) * (before + index) }));
  });
  return ranked
    .sort(better)
    .slice(0, Math.max(0, slots))
    .map(({ target }) => target);
}

function better(a: Contender, b: Contender): number {
  if (a.worth !== b.worth) return b.worth - a.worth;
  if (a.isPlaced !== b.isPlaced) return a.isPlaced ? -1 : 1;
  return a.target.name < b.target.name ? -1 : 1;
}
