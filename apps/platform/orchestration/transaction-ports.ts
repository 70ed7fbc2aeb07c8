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
    below: async (path, signal) => (await pool.below(path, signal)).filter(isNoAlias).map(known),
    find: async (ids, signal) => {
      const found = (await pool.find(ids, signal)).filter(isNoAlias).map(known);
      return ids.includes(LOCAL_TARGET_ID) ? [...found, LOCAL] : found;
    },
  };
}

/** To deployments an alias is a target that does not exist any more. */
export function isNoAlias({ isAlias }: Pick<PooledTarget, 'isAlias'>): boolean {
  return isAlias !== true;
}

/** Includes the workspace, which is needed only to find the deployments above. */
export function known(target: PooledTarget): PoolTarget & { readonly workspacePath: string } {
  // Orchestration identifies a target by its uid.
  return { ...target, id: target.id as TargetId };
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
