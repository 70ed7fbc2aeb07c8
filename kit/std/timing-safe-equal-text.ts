import { hash, timingSafeEqual } from 'node:crypto';

/** Compares secrets. The duration does not reveal where they differ, nor the length of the right one. */
export function timingSafeEqualText(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

/** Hashing gives both sides the same length, which the comparison requires. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
