/** Resolves when every promise that can settle by itself has settled: the immediate phase comes after all of them. */
export function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
