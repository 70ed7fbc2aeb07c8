import type { Authorizer } from '#kit/http';
import type { NotFoundErrors } from '../application/ports.ts';
import type { AccessIndex } from '../domain/access-index.ts';
import { askerOf, type Caller } from '../domain/asker.ts';
import { type ResourceKind, type ResourceRef, ROOT } from '../domain/resource-ref.ts';
import type { VisibleSet } from '../domain/visible-set.ts';

/** What somebody needs for a thing to exist for him. */
const SEEING = { workspace: 'workspaces.read', target: 'targets.read' } as const satisfies Record<ResourceKind, string>;

/**
 * Decides on what the path names, `{target}` or `{workspace}`, and on the root where it names neither. What the caller
 * may not see does not exist: he gets the very error that he would get if it did not. Where the handler itself asks for
 * what it shows, everybody may call it.
 */
export function authorizerOf(index: AccessIndex, notFound: NotFoundErrors): Authorizer {
  return {
    allow: async ({ principal, permission, params, reach }) => {
      if (reach === 'filtered') return true;
      const asker = askerOf(principal);
      const resource = resourceIn(params);
      if (resource === undefined) return index.allows(asker, { permission, resource: ROOT });
      if (!index.allows(asker, { permission: SEEING[resource.kind], resource })) {
        throw notFound[resource.kind](resource.name);
      }
      return index.allows(asker, { permission, resource });
    },
  };
}

/** Where a caller has a permission, for lists that show no more than that. */
export function visibilityOf(index: AccessIndex): { of(caller: Caller, permission: string): VisibleSet } {
  return { of: (caller, permission) => index.visible(askerOf(caller), permission) };
}

function resourceIn({ workspace, target }: Readonly<Record<string, string>>): ResourceRef | undefined {
  if (target !== undefined) return { kind: 'target', name: target };
  return workspace === undefined ? undefined : { kind: 'workspace', name: workspace };
}
