/** How one key of a fan-out ended. */
export type KeyOutcome<K, T> =
  | { readonly key: K; readonly kind: 'done'; readonly value: T }
  | { readonly key: K; readonly kind: 'failed'; readonly error: unknown };

export interface FanOutOptions {
  readonly concurrency: number;
}

/**
 * The body for every key, so many at once, to the end: one key that fails stops no other, and every outcome is told, in
 * the order of the keys. It is made of the context's own promises only, so that it replays on every engine.
 */
export async function fanOut<K, T>(
  keys: readonly K[],
  { concurrency }: FanOutOptions,
  body: (key: K) => Promise<T>,
): Promise<KeyOutcome<K, T>[]> {
  if (!Number.isInteger(concurrency) || concurrency < 1) throw new RangeError(`a concurrency of ${concurrency}`);
  const outcomes: KeyOutcome<K, T>[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < keys.length) {
      const index = next++;
      const key = keys[index] as K;
      try {
        outcomes[index] = { key, kind: 'done', value: await body(key) };
      } catch (error) {
        outcomes[index] = { key, kind: 'failed', error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, keys.length) }, work));
  return outcomes;
}
