import type { Storage, Transaction } from '#kit/storage';

interface WriteOptions {
  readonly storage: Storage;
  readonly dryRun: boolean;
}

/** Carries the result of a preview out of a transaction that must not be committed. */
class Preview<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('a preview leaves nothing behind');
    this.result = result;
  }
}

/**
 * Writes; for a dry run, does the same work with the same checks in a transaction that is then rolled back, and returns
 * the would-be result.
 */
export async function writeOrPreview<T>(
  { storage, dryRun }: WriteOptions,
  body: (tx: Transaction) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  if (!dryRun) return await storage.write(body, signal);
  try {
    return await storage.write(async (tx): Promise<T> => {
      throw new Preview(await body(tx));
    }, signal);
  } catch (error) {
    if (error instanceof Preview) return error.result as T;
    throw error;
  }
}
