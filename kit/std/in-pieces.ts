/** The items in order, in lists of at most `size`: statements and requests have limits. No items are no pieces. */
export function inPieces<T>(items: readonly T[], size: number): T[][] {
  const pieces: T[][] = [];
  for (let start = 0; start < items.length; start += size) pieces.push(items.slice(start, start + size));
  return pieces;
}
