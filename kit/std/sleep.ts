/** Waits, or rejects with the signal's reason as soon as it aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  // Node's `setTimeout` from node:timers/promises creates an error with a stack for each abort, and loops abort sleeps
  // many times per second.
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Waiting as a port: code that waits takes a `Sleep`, so that tests can control the time. */
export type Sleep = typeof sleep;
