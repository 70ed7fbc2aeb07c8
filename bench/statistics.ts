export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1);
  return sorted[Math.max(0, index)] ?? Number.NaN;
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Runs the two alternately, so that a slow moment of the machine affects both, and returns the median of each. */
export async function interleaved(
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<{ ours: number; theirs: number }> {
  const [a, b]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    a.push(await ours());
    b.push(await theirs());
  }
  return { ours: median(a), theirs: median(b) };
}

/** Alternates likewise, and returns the values of all rounds. There may be more of them than a call takes arguments. */
export async function pooled(
  rounds: number,
  ours: () => Promise<readonly number[]>,
  theirs: () => Promise<readonly number[]>,
): Promise<{ ours: number[]; theirs: number[] }> {
  const [a, b]: [(readonly number[])[], (readonly number[])[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    a.push(await ours());
    b.push(await theirs());
  }
  return { ours: a.flat(), theirs: b.flat() };
}
