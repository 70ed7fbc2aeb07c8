import type { Figure } from '../figure.ts';

/** The figures of both sides, measured one right after the other. */
export interface Round {
  readonly ours: readonly Figure[];
  readonly theirs: readonly Figure[];
}

export type Verdict = 'worse' | 'better' | 'no difference' | 'not comparable';

export interface Comparison {
  readonly name: string;
  readonly unit: string;
  /** Medians of all rounds. */
  readonly ours?: number;
  readonly theirs?: number;
  /** How many times as long (or as large) as theirs: the ratio of the medians, above 1 where ours is worse. */
  readonly ratio?: number;
  /** The smallest and the largest ratio of a single round. */
  readonly spread?: readonly [number, number];
  readonly verdict: Verdict;
}

/** A smaller difference is noise between two runs of one program. */
const NOTICEABLE = 1.05;

/**
 * Compares each figure of ours with theirs. A figure with a reference is compared by its ratio to that, so that load
 * during only one of the runs does not matter. The runs of a round are neighbours in time, so a machine that slows down
 * changes no ratio. A figure counts as worse or better only if its whole spread is on one side.
 */
export function compareRounds(rounds: readonly Round[]): Comparison[] {
  const units = new Map(
    rounds.flatMap(({ ours, theirs }) => [...ours, ...theirs]).map(({ name, unit }) => [name, unit]),
  );
  return [...units].map(([name, unit]) => ({ name, unit, ...compare(rounds, name) }));
}

function compare(rounds: readonly Round[], name: string): Omit<Comparison, 'name' | 'unit'> {
  const found = rounds.map(({ ours, theirs }) => ({ ours: named(ours, name), theirs: named(theirs, name) }));
  const ours = median(found.flatMap((round) => round.ours?.value ?? []));
  const theirs = median(found.flatMap((round) => round.theirs?.value ?? []));
  const values = { ...(ours !== undefined && { ours }), ...(theirs !== undefined && { theirs }) };
  const pairs = found.flatMap((round) => (round.ours && round.theirs ? [costs(round.ours, round.theirs)] : []));
  const ratio = over(median(pairs.map(([cost]) => cost)), median(pairs.map(([, cost]) => cost)));
  const each = pairs.map(([cost, other]) => over(cost, other));
  const spread = [Math.min(...each), Math.max(...each)] as const;
  if (![ratio, ...spread].every(Number.isFinite)) return { ...values, verdict: 'not comparable' };
  return { ...values, ratio: round(ratio), spread: [round(spread[0]), round(spread[1])], verdict: verdictOf(spread) };
}

function verdictOf([least, most]: readonly [number, number]): Verdict {
  if (least > NOTICEABLE) return 'worse';
  return most < 1 / NOTICEABLE ? 'better' : 'no difference';
}

/** The costs of both, where more is worse: for a rate, the time of one operation. */
function costs(ours: Figure, theirs: Figure): [ours: number, theirs: number] {
  if (ours.ratio !== undefined && theirs.ratio !== undefined) return [ours.ratio, theirs.ratio];
  return ours.better === 'higher' ? [1 / ours.value, 1 / theirs.value] : [ours.value, theirs.value];
}

/** Two zeros are equal. */
function over(value = Number.NaN, other = Number.NaN): number {
  return value === other ? 1 : value / other;
}

function named(figures: readonly Figure[], name: string): Figure | undefined {
  return figures.find((figure) => figure.name === name);
}

/** The middle value, or the mean of the two middle ones: with few rounds, the lower of them alone would be too optimistic. */
function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
