import type { AccessChange } from '#contexts/access';
import { accessChangeOf } from '#contexts/access/adapters';
import type { TargetNode } from '#contexts/targets/adapters';
import type { WorkspaceNode } from '#contexts/workspaces/adapters';
import type { TargetResource, WorkspaceResource } from '#protocol/api';

export function workspaceIs({ name, uid, generation, parent }: WorkspaceNode): AccessChange {
  return { kind: 'workspace', name, uid, generation, parent: parent ?? undefined };
}

export function targetIs({ name, uid, generation, workspace }: TargetNode): AccessChange {
  return { kind: 'target', name, uid, generation, workspace };
}

/** The access change of an event of the log; `undefined` when there is none. */
export function changeOf(event: { readonly type: string; readonly data: unknown }): AccessChange | undefined {
  switch (event.type) {
    case 'workspace.created':
    case 'workspace.updated':
    case 'workspace.moved': {
      const { name, uid, generation, parent } = event.data as WorkspaceResource;
      return { kind: 'workspace', name, uid, generation, parent };
    }
    case 'workspace.deleted':
      return { kind: 'workspaceDeleted', uid: (event.data as WorkspaceResource).uid };
    case 'target.created':
    case 'target.updated':
    case 'target.assigned': {
      const { name, uid, generation, workspace } = event.data as TargetResource;
      return { kind: 'target', name, uid, generation, workspace };
    }
    case 'target.deleted':
      return { kind: 'targetDeleted', uid: (event.data as TargetResource).uid };
    default:
      return accessChangeOf(event);
  }
}
