import { etagOf } from '#kit/http';
import type { WorkspaceResource } from '#protocol/api';
import { parentOf, type Workspace } from '../domain/workspace.ts';

/** A workspace as the API shows it. */
export function toResource(workspace: Workspace): WorkspaceResource {
  const { name, uid, kind, slug, region, displayName, labels, policy, generation } = workspace;
  const parent = parentOf(workspace);
  return {
    name,
    uid,
    kind,
    ...(parent === undefined ? {} : { parent }),
    ...(slug === undefined ? {} : { slug }),
    ...(region === undefined ? {} : { region }),
    ...(displayName === undefined ? {} : { displayName }),
    labels,
    ...(policy === undefined ? {} : { policy: policy as NonNullable<WorkspaceResource['policy']> }),
    createTime: new Date(workspace.createTime).toISOString(),
    updateTime: new Date(workspace.updateTime).toISOString(),
    generation,
    // No controller acts on a workspace after the write, so every generation has been observed.
    observedGeneration: generation,
    etag: etagOf(workspace),
  };
}
