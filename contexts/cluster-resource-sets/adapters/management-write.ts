import { isKubeError, type KubeObject } from '#kit/kube';
import { keyOf } from '#kit/kube/controller';
import { CrsError } from '../domain/crs-error.ts';
import type { FreshCache } from './fresh-cache.ts';

export const FIELD_MANAGER = 'fleetshift-crs';

/**
 * A write that is conditional on what was read. If the object changed or is gone, it throws a conflict and the caller
 * reads again.
 */
export async function writeFresh<T extends KubeObject>(
  fresh: FreshCache<T>,
  target: KubeObject,
  send: () => Promise<T>,
): Promise<void> {
  try {
    fresh.wrote(await send());
  } catch (error) {
    if (isKubeError(error, 'NOT_FOUND')) fresh.forget(keyOf(target));
    throw asConflict(error);
  }
}

export function asConflict(error: unknown): unknown {
  if (!isKubeError(error, 'CONFLICT', 'NOT_FOUND', 'ALREADY_EXISTS')) return error;
  return new CrsError('CONFLICT', error.message, { cause: error });
}
