import { sleep } from '#kit/std';
import { StorageError, type StorageErrorCode } from '../storage-error.ts';

/**
 * With a few busy writers a third of the attempts lose a race, and nobody should hear of it: six seconds in all. A server
 * that is gone is worth a second and a half: a restart is bridged, an outage is told.
 */
const ATTEMPTS: Readonly<Partial<Record<StorageErrorCode, number>>> = { SERIALIZATION_FAILED: 50, CONNECTION_LOST: 12 };
const BASE_MS = 2;
const CAP_MS = 250;

/**
 * Runs again what Postgres could not put in a serial order, or what lost its connection before it asked to commit: in
 * both cases nothing of it stayed. The wait is random, so that two who collided do not collide again.
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
