import { StorageError } from './storage-error.ts';

/**
 * The outcome of the body, or the first interruption: the signal's reason or the timeout. The body continues, and its
 * outcome is ignored.
 */
export async function withinDeadline<T>(body: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  const timer = setTimeout(() => {
    reject(new StorageError('TRANSACTION_TIMED_OUT', `a transaction was open for more than ${ms} ms`));
  }, ms);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([body, interrupted]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
