export interface Shares {
  readonly done: number;
  readonly underWay: number;
  readonly failed: number;
  /** At least one. */
  readonly of: number;
}

/** `[#####>>x....]`: done, in progress, failed, pending. Rounded down, so that the bar is full only when everything is done. */
export function renderBar({ done, underWay, failed, of }: Shares, width: number): string {
  const edge = (count: number): number => Math.floor((Math.min(count, of) / of) * width);
  const [first, second, third] = [edge(done), edge(done + underWay), edge(done + underWay + failed)];
  return `[${'#'.repeat(first)}${'>'.repeat(second - first)}${'x'.repeat(third - second)}${'.'.repeat(width - third)}]`;
}
