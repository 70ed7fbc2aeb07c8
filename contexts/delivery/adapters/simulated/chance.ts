/**
 * A number in [0, 1), always the same for the same words: the outcome of an order depends on the seed and that order
 * alone, in whatever sequence orders arrive.
 */
export function chance(...words: readonly (string | number)[]): number {
  let state = 0x811c9dc5;
  for (const character of words.join(' ')) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
  state = Math.imul(state ^ (state >>> 15), 0x735a2d97);
  return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
}
