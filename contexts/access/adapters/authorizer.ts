import type { Authorizer } from '#kit/http';
import type { AccessDecisions, NotFoundErrors } from '../application/ports.ts';
import type { Caller } from '../domain/asker.ts';
import { type ResourceRef, ROOT, SEEING } from '../domain/resource-ref.ts';
import type { VisibleSet } from '../domain/visible-set.ts';

/**
 * Decides on the resource that the path names, `{target}` or `{workspace}`, or else on the root. A resource that the
 * caller may not see yields exactly the error of one that does not exist. A route with reach `filtered` is open to
 * every caller, as its handler filters its own results.
 */
export function authorizerOf(decisions: Pick<AccessDecisions, 'allows'>, notFound: NotFoundErrors): Authorizer {
  return {
    allow: async ({ principal, permission, params, reach }, signal) => {
      if (reach === 'filtered') return true;
      const resource = resourceIn(params);
      if (resource === undefined) return await decisions.allows(principal, { permission, resource: ROOT }, signal);
      if (!(await decisions.allows(principal, { permission: SEEING[resource.kind], resource }, signal))) {
        throw notFound[resource.kind](resource.name);
      }
      return await decisions.allows(principal, { permission, resource }, signal);
    },
  };
}

/** Where a caller has a permission; lists show only resources in this set. */
export function visibilityOf(decisions: Pick<AccessDecisions, 'visible'>): {
  of(caller: Caller, permission: string, signal: AbortSignal): Promise<VisibleSet>;
} {
  return { of: (caller, permission, signal) => decisions.visible(caller, permission, signal) };
}

function resourceIn({ workspace, target }: Readonly<Record<string, string>>): ResourceRef | undefined {
  if (target !== undefined) return { kind: 'target', name: target };
  return workspace === undefined ? undefined : { kind: 'workspace', name: workspace };
}
