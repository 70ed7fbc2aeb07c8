/** Which of so many streams a key goes over. Only this end has to agree with itself, but for as long as it lives. */
export function shardOf(key: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0) % shards;
}
