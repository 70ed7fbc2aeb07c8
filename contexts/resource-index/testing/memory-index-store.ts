import type { AppliedDeltas, IndexStore, TargetDelta } from '../application/sink/ports.ts';
import { BUCKETS, bucketOf } from '../domain/bucket.ts';
import { gatherDeltas, saneBuckets, saneReports } from '../domain/gathered-deltas.ts';
import { DIGEST_SPACE } from '../domain/hash48.ts';
import type { HeldObject, IndexAsk, TypeDigest, TypeReport } from '../domain/index-message.ts';
import { type IndexedObject, keyText, type ObjectKey } from '../domain/indexed-object.ts';

/** In memory, for suites about something else. Meets the same contract as the SQL store. */
export class MemoryIndexStore implements IndexStore {
  readonly targets = new Map<string, Map<string, IndexedObject>>();
  readonly reports = new Map<string, readonly TypeReport[]>();
  /** Objects that were put although they had not changed. */
  needless = 0;
  puts = 0;

  constructor(targets: readonly string[]) {
    for (const target of targets) this.targets.set(target, new Map());
  }

  async apply(deltas: readonly TargetDelta[], _now: number, signal: AbortSignal): Promise<AppliedDeltas> {
    signal.throwIfAborted();
    const applied = { put: 0, deleted: 0, refused: 0 };
    for (const [target, some] of Map.groupBy(deltas, (each) => each.target)) {
      const objects = this.targets.get(target);
      if (objects === undefined) continue;
      const { put, deleted, droppedTypes, refused } = gatherDeltas(some.map(({ delta }) => delta));
      for (const [id, { key }] of objects) if (droppedTypes.includes(key.type)) objects.delete(id);
      for (const key of deleted) objects.delete(idOf(key));
      for (const object of put) {
        if (objects.get(idOf(object.key))?.digest === object.digest) this.needless += 1;
        objects.set(idOf(object.key), object);
      }
      this.puts += put.length;
      applied.put += put.length;
      applied.deleted += deleted.length;
      applied.refused += refused;
    }
    return applied;
  }

  async digests(target: string, now: number, signal: AbortSignal): Promise<readonly TypeDigest[]> {
    signal.throwIfAborted();
    const live = this.#objects(target).filter(({ expireTime }) => expireTime === 0 || expireTime > now);
    return [...Map.groupBy(live, ({ key }) => key.type)].map(([type, objects]) => {
      const sums = Array.from<number>({ length: BUCKETS }).fill(0);
      for (const { key, digest } of objects) {
        const bucket = bucketOf(keyText(key));
        sums[bucket] = ((sums[bucket] ?? 0) + digest) % DIGEST_SPACE;
      }
      return { type, sums };
    });
  }

  async held(
    target: string,
    { type, buckets }: Pick<IndexAsk, 'type' | 'buckets'>,
    signal: AbortSignal,
  ): Promise<readonly (readonly HeldObject[])[]> {
    signal.throwIfAborted();
    const wanted = new Set(saneBuckets(buckets));
    const held = this.#objects(target)
      .filter(({ key }) => key.type === type && wanted.has(bucketOf(keyText(key))))
      .map(({ key, digest }) => ({ namespace: key.namespace, name: key.name, digest }));
    // In two parts, like a large answer.
    const half = Math.ceil(held.length / 2);
    return held.length < 2 ? [held] : [held.slice(0, half), held.slice(half)];
  }

  async report(
    target: string,
    { types }: { readonly types: readonly TypeReport[] },
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    if (this.targets.has(target)) this.reports.set(target, saneReports(types));
  }

  #objects(target: string): readonly IndexedObject[] {
    return [...(this.targets.get(target)?.values() ?? [])];
  }
}

function idOf({ type, namespace, name }: ObjectKey): string {
  return `${type} ${namespace}/${name}`;
}
