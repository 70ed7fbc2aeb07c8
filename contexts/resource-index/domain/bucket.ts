/** The number of groups into which the objects of a type are divided by name. */
export const BUCKETS = 256;

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;
const encoder = new TextEncoder();

/** The low byte of the FNV-1a hash of `namespace/name` in UTF-8, so that agents in any language compute the same. */
export function bucketOf(keyText: string): number {
  let hash = OFFSET;
  for (const byte of encoder.encode(keyText)) hash = Math.imul(hash ^ byte, PRIME);
  return (hash >>> 0) % BUCKETS;
}
