import { sleep } from '#kit/std';
import { StorageError } from '../storage-error.ts';

const ATTEMPTS = 12;
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
      if (!isWorthRepeating(error) || tries >= ATTEMPTS) throw error;
      await sleep(Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** tries), signal);
    }
  }
}

function isWorthRepeating(error: unknown): boolean {
  return error instanceof StorageError && (error.code === 'SERIALIZATION_FAILED' || error.code === 'CONNECTION_LOST');
}
