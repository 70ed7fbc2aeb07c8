import { hash, timingSafeEqual } from 'node:crypto';

/** Compares secrets. How long it takes tells nothing about where they differ, nor how long the right one is. */
export function timingSafeEqualText(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

/** Hashing makes both sides equally long, as the comparison wants it. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
