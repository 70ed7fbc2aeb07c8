/** How long one turn of the event loop may last. */
const TURN_MS = 10;
let turnBegan: number | undefined;

/**
 * Awaited between pieces of long work on the main thread. Once this turn of the event loop has lasted for 10 ms since the first
 * call in it, the process gets its other work done before the caller goes on; until then there is nothing to wait for.
 */
export function yieldIfLong(): Promise<void> | undefined {
  const now = performance.now();
  if (turnBegan === undefined) {
    turnBegan = now;
    setImmediate(() => (turnBegan = undefined));
  } else if (now - turnBegan > TURN_MS) return new Promise((resolve) => setImmediate(resolve));
  return undefined;
}
