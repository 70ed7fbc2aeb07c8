import type { PlacementView } from '../target-view.ts';

/** A target that may be picked, at its worth before it is known who stands beside it. */
export interface Contender {
  readonly target: PlacementView;
  readonly worth: number;
  readonly isPlaced: boolean;
}

/** By which label to spread, and how much each neighbour costs. */
export interface Spread {
  readonly label: string;
  readonly weight: number;
}

export interface Picking {
  readonly slots: number;
  readonly spread: Spread | undefined;
  /** Who is there before anyone is picked. */
  readonly neighbours: readonly PlacementView[];
}

/**
 * The best, one after another, each seeing the neighbours that were picked before it. Equal ones go by who is placed
 * already, since a move should gain something, and then by name.
 *
 * Those with the same value of the label are picked in their own order, whatever the others do. So each one's place among
 * them tells how many neighbours it will have, and all can be sorted at once.
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
