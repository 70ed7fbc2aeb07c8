import type { RequiredGates } from '#contexts/orchestration';
import { targetPool } from '#contexts/targets/adapters';
import { workspacePolicies } from '#contexts/workspaces/adapters';
import type { Reader } from '#kit/storage';

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
