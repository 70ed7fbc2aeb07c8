/** The remaining allowance of an object. */
export interface SpamBucket {
  readonly tokens: number;
  readonly at: number;
}

const SPAM_BURST = 25;
const SPAM_REFILL_MS = 5 * 60_000;

/** Each event takes a token. A clock that was set back neither refills nor takes tokens. */
export function takeToken(
  bucket: SpamBucket | undefined,
  now: number,
): { readonly bucket: SpamBucket; readonly taken: boolean } {
  const before = bucket ?? { tokens: SPAM_BURST, at: now };
  const refilled = Math.max(0, now - before.at) / SPAM_REFILL_MS;
  const tokens = Math.min(SPAM_BURST, before.tokens + refilled);
  if (tokens < 1) return { bucket: { tokens, at: now }, taken: false };
  return { bucket: { tokens: tokens - 1, at: now }, taken: true };
}
