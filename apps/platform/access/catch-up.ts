import type { AccessIndex } from '#contexts/access';
import { findTargetNode } from '#contexts/targets/adapters';
import { findWorkspaceNode } from '#contexts/workspaces/adapters';
import type { Storage } from '#kit/storage';
import type { Logger } from '#kit/telemetry';
import { targetIs, workspaceIs } from './tree-changes.ts';

export interface TreeResource {
  readonly kind: 'workspace' | 'target';
  readonly name: string;
}

/** Brings the index up to date with the stored state of the resource. Never rejects. */
export type CatchUp = (resource: TreeResource, signal: AbortSignal) => Promise<void>;

export interface CatchUpDeps {
  readonly storage: Storage;
  readonly index: AccessIndex;
  readonly log: Logger;
}

export function catchUpWith({ storage, index, log }: CatchUpDeps): CatchUp {
  return async (resource, signal) => {
    try {
      const change = await storage.read(async (reader) => {
        if (resource.kind === 'target') {
          const node = await findTargetNode(reader, resource.name);
          return node && targetIs(node);
        }
        const node = await findWorkspaceNode(reader, resource.name);
        return node && workspaceIs(node);
      }, signal);
      if (change !== undefined) return index.apply(change);
      const [gone] = index.lineageOf(resource);
      if (gone !== undefined) index.apply({ kind: `${resource.kind}Deleted`, uid: gone.uid });
    } catch (err) {
      // The change is committed, and the event log delivers it in a moment.
      log.warn({ err, name: resource.name }, 'access index not updated at once; the event log will update it');
    }
  };
}
