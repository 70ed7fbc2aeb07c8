import { LOCAL_TARGET_ID, type PoolTarget, type TargetPool } from '#contexts/orchestration';
import { type PooledTarget, targetPool } from '#contexts/targets/adapters';
import type { Reader } from '#kit/storage';
import type { TargetId } from '#protocol/targets';

/** The platform itself: whoever may place on it always finds it there. */
const LOCAL: PoolTarget = {
  id: LOCAL_TARGET_ID,
  name: 'local',
  type: 'local',
  labels: {},
  properties: {},
  manifestTypes: [],
  lifecycle: 'Active',
  isOnline: true,
};

/** The targets in the words of orchestration, as the transaction at hand sees them. */
export function poolIn(reader: Reader): TargetPool {
  const pool = targetPool(reader);
  return {
    local: LOCAL,
    below: async (path, signal) => (await pool.below(path, signal)).map(known),
    find: async (ids, signal) => {
      const found = (await pool.find(ids, signal)).map(known);
      return ids.includes(LOCAL_TARGET_ID) ? [...found, LOCAL] : found;
    },
  };
}

/** With the workspace, which only those need who look for the deployments above. */
export function known(target: PooledTarget): PoolTarget & { readonly workspacePath: string } {
  // The uid of a target is what orchestration knows it by.
  return { ...target, id: target.id as TargetId };
}
