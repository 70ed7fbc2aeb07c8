import { LOCAL_TARGET_ID, type PoolTarget, type TargetPool } from '#contexts/orchestration';
import { type PooledTarget, targetPool } from '#contexts/targets/adapters';
import type { Reader } from '#kit/storage';
import type { TargetId } from '#protocol/targets';

/** The platform itself: always available to deployments that may place on it. */
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

/** Adapts targets to the port of orchestration, within the current transaction. */
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

/** Includes the workspace, which is needed only to find the deployments above. */
export function known(target: PooledTarget): PoolTarget & { readonly workspacePath: string } {
  // Orchestration identifies a target by its uid.
  return { ...target, id: target.id as TargetId };
}
