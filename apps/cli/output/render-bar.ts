export interface Shares {
  readonly done: number;
  readonly underWay: number;
  readonly failed: number;
  /** At least one. */
  readonly of: number;
}

/** `[#####>>x....]`: done, under way, failed, to come. Rounded down, so that only what is all done looks so. */
export function renderBar({ done, underWay, failed, of }: Shares, width: number): string {
  const edge = (count: number): number => Math.floor((Math.min(count, of) / of) * width);
  const [first, second, third] = [edge(done), edge(done + underWay), edge(done + underWay + failed)];
  return `[${'#'.repeat(first)}${'>'.repeat(second - first)}${'x'.repeat(third - second)}${'.'.repeat(width - third)}]`;
}
