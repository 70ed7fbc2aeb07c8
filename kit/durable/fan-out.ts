/** The outcome of one key of a fan-out. */
export type KeyOutcome<K, T> =
  | { readonly key: K; readonly kind: 'done'; readonly value: T }
  | { readonly key: K; readonly kind: 'failed'; readonly error: unknown };

export interface FanOutOptions {
  readonly concurrency: number;
}

/**
 * Runs the body for every key, with bounded concurrency. A key that fails does not stop the others. Returns all
 * outcomes in the order of the keys. It uses only promises of the context, so it replays on every engine.
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
