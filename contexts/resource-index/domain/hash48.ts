import { contentHash } from '#kit/std';

/** Sums of digests wrap around here. */
export const DIGEST_SPACE = 2 ** 48;

const PREFIX = 'sha256:'.length;

/**
 * DECISION: 48 bits of a SHA-256. Sums of them over a bucket are exact in every database and in a JavaScript number. The chance
 * to miss a change is one in 10^14, and the next change of the object corrects it. (ADR-0033)
 */
export function hash48(text: string): number {
  return Number.parseInt(contentHash(text.toWellFormed()).slice(PREFIX, PREFIX + 12), 16);
}
