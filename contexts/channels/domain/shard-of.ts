/**
 * The stream that a key uses. Only this end relies on it, and the result has to stay the same for the lifetime of the process.
 */
export function shardOf(key: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0) % shards;
}
