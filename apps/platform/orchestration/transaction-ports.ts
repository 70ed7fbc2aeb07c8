import {
  LOCAL_TARGET_ID,
  type PoolTarget,
  type RequiredGates,
  type TargetPool,
  type WorkspaceDirectory,
} from '#contexts/orchestration';
import { type PooledTarget, targetPool } from '#contexts/targets/adapters';
import { workspacePlaces, workspacePolicies } from '#contexts/workspaces/adapters';
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
    below: async (path, reach, signal) =>
      knownIn(await (reach === 'all' ? pool.below(path, signal) : pool.among(path, reach, signal))),
    find: async (ids, signal) => {
      const found = knownIn(await pool.find(ids, signal));
      return ids.includes(LOCAL_TARGET_ID) ? [...found, LOCAL] : found;
    },
  };
}

/**
 * The targets that deployments know, by uid: to them an alias is a target that does not exist any more. Includes the
 * workspace, which is needed only to find the deployments above.
 */
export function knownIn(found: readonly PooledTarget[]): readonly (PooledTarget & { readonly id: TargetId })[] {
  return found.filter((target): target is PooledTarget & { readonly id: TargetId } => target.isAlias !== true);
}

/** Adapts the tree to the port of orchestration, within the current transaction. */
export function directoryIn(reader: Reader): WorkspaceDirectory {
  return { find: async (name, signal) => (await workspacePlaces(reader).places([name], signal))[0] };
}

/** Adapts the policies of workspaces to the port of orchestration, within the current transaction. */
export function requiredGatesIn(reader: Reader): RequiredGates {
  return {
    of: async ({ workspacePath, targets }, signal) => {
      const policies = await workspacePolicies(reader, signal);
      const above = policies.filter(({ path }) => workspacePath.startsWith(path));
      const below = policies.filter(({ path }) => path.startsWith(workspacePath) && path !== workspacePath);
      // The locations of targets matter only for policies further down, which most instances do not have.
      const found = below.length === 0 ? [] : await targetPool(reader).find(targets, signal);
      const touched = below.filter(({ path }) => found.some((target) => target.workspacePath.startsWith(path)));
      return [...above, ...touched].flatMap(({ policy }) => policy.requiredGates);
    },
  };
}
