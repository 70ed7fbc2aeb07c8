import type { FoundResource, NotFoundErrors, ResourceReader } from '#contexts/access';
import { targetNotFound } from '#contexts/targets';
import { findTargetNode } from '#contexts/targets/adapters';
import { workspaceNotFound } from '#contexts/workspaces';
import { findWorkspaceNode } from '#contexts/workspaces/adapters';
import type { Reader } from '#kit/storage';

/** The same error for a resource that does not exist and for one that the caller may not see. */
export const NOT_FOUND: NotFoundErrors = { workspace: workspaceNotFound, target: targetNotFound };

/** The resources that can carry grants, as a transaction sees them. */
export function treeResources(tx: Reader): ResourceReader {
  return {
    find: async ({ kind, name }): Promise<FoundResource | undefined> => {
      if (kind === 'target') {
        const target = await findTargetNode(tx, name);
        return target && { uid: target.uid, workspace: target.workspace };
      }
      const workspace = await findWorkspaceNode(tx, name);
      return workspace && { uid: workspace.uid, workspace: workspace.name };
    },
  };
}

/** Throws unless the workspace exists, as the transaction sees it. */
export async function requireWorkspace(tx: Reader, name: string): Promise<void> {
  if ((await findWorkspaceNode(tx, name)) === undefined) throw workspaceNotFound(name);
}

/** The target and its workspace. */
export async function requireTarget(tx: Reader, name: string): Promise<FoundResource> {
  const target = await findTargetNode(tx, name);
  if (target === undefined) throw targetNotFound(name);
  return { uid: target.uid, workspace: target.workspace };
}
