import type { Authorizer } from '#kit/http';
import type { NotFoundErrors } from '../application/ports.ts';
import type { AccessIndex } from '../domain/access-index.ts';
import { askerOf, type Caller } from '../domain/asker.ts';
import { type ResourceRef, ROOT, SEEING } from '../domain/resource-ref.ts';
import type { VisibleSet } from '../domain/visible-set.ts';

/**
 * Decides on the resource that the path names, `{target}` or `{workspace}`, or else on the root. A resource that the
 * caller may not see yields exactly the error of one that does not exist. A route with reach `filtered` is open to
 * every caller, as its handler filters its own results.
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

/** Where a caller has a permission; lists show only resources in this set. */
export function visibilityOf(index: AccessIndex): { of(caller: Caller, permission: string): VisibleSet } {
  return { of: (caller, permission) => index.visible(askerOf(caller), permission) };
}

function resourceIn({ workspace, target }: Readonly<Record<string, string>>): ResourceRef | undefined {
  if (target !== undefined) return { kind: 'target', name: target };
  return workspace === undefined ? undefined : { kind: 'workspace', name: workspace };
}
