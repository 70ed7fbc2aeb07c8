import { sleep } from '#kit/std';
import { StorageError, type StorageErrorCode } from '../storage-error.ts';

/**
 * With a few busy writers a third of the attempts lose a race, which callers should not notice: six seconds in all. A
 * lost connection is retried for a second and a half: this bridges a server restart, while an outage is reported.
 */
const ATTEMPTS: Readonly<Partial<Record<StorageErrorCode, number>>> = { SERIALIZATION_FAILED: 50, CONNECTION_LOST: 12 };
const BASE_MS = 2;
const CAP_MS = 250;

/**
 * Retries after a serialization failure, or if the connection was lost before the commit was sent: in both cases
 * nothing was kept. The delay is random, so that two transactions that collided do not collide again.
 */
export async function retrying<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (tries >= attemptsFor(error)) throw error;
      await sleep(Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** tries), signal);
    }
  }
}

function attemptsFor(error: unknown): number {
  return error instanceof StorageError ? (ATTEMPTS[error.code] ?? 1) : 1;
}
