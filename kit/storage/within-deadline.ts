import { StorageError } from './storage-error.ts';

/** The body's outcome, or the reason that came first: the signal's, or that time is up. The body is then left to end unheard. */
export async function withinDeadline<T>(body: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    const timer = setTimeout(() => {
      reject(new StorageError('TRANSACTION_TIMED_OUT', `a transaction was open for more than ${ms} ms`));
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
    void body.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    });
    if (signal.aborted) abort();
  });
}
