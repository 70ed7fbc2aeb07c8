import type { IndexedGrant } from './access-change.ts';
import type { AccessState } from './access-state.ts';
import { type Asker, unscoped } from './asker.ts';
import { allows, isInScope, nodeAskedOn, type Question } from './decide-access.ts';
import { rolesGivenBy } from './grant-book.ts';
import type { PermissionRule } from './permission.ts';
import type { ResourceRef } from './resource-ref.ts';
import type { ResourceNode } from './resource-tree.ts';
import { NO_ROLES, ROLES, type Role, roleAndImplied } from './role.ts';
import { subjectKey } from './subject.ts';

/** A reason that suffices by itself. */
export type Reason =
  | { readonly kind: 'instanceAdmin' }
  | {
      readonly kind: 'grant';
      readonly grant: IndexedGrant;
      /** From the resource with the grant down to the resource of the question. */
      readonly path: readonly ResourceRef[];
    };

/**
 * Why access is denied: unknown permission or resource, no grant, or a token that is narrower than the caller's rights.
 */
export type Denial = 'unknownPermission' | 'unknownResource' | 'noGrant' | 'outsideScope' | 'rolesOutsideScope';

/** The grants that would suffice: any of the roles, or the permission itself, on `on` or further up. */
export interface Needed {
  readonly on: ResourceRef;
  readonly roles: readonly Role[];
  /** An addon's permission, which can be granted by name. */
  readonly permission: string | undefined;
}

export type Explanation =
  | { readonly allowed: true; readonly reasons: readonly Reason[] }
  | { readonly allowed: false; readonly denial: Denial; readonly needed: Needed | undefined };

/** The same decision as `allows`, with reasons. */
export function explainAccess(state: AccessState, asker: Asker, question: Question): Explanation {
  const rule = state.permissions.ruleOf(question.permission);
  if (rule === undefined) return { allowed: false, denial: 'unknownPermission', needed: undefined };
  const node = nodeAskedOn(state, rule, question.resource);
  if (node === undefined) return { allowed: false, denial: 'unknownResource', needed: undefined };
  const reasons = reasonsFor(state, asker, { question, rule, node });
  if (reasons.length > 0) return { allowed: true, reasons };
  const byName = state.permissions.rolesImplying(question.permission) !== undefined;
  const needed = {
    on: { kind: node.kind, name: node.name },
    roles: leastRoles(rule),
    permission: byName ? question.permission : undefined,
  };
  return { allowed: false, denial: denialFor(state, asker, { question, node }), needed };
}

interface Asked {
  readonly question: Question;
  readonly rule: PermissionRule;
  readonly node: ResourceNode;
}

function reasonsFor(state: AccessState, asker: Asker, { question, rule, node }: Asked): Reason[] {
  if (!isInScope(state, asker, node)) return [];
  const wanted = rule.roles & asker.roles;
  const reasons: Reason[] = asker.instanceAdmin && wanted !== NO_ROLES ? [{ kind: 'instanceAdmin' }] : [];
  const lineage = state.tree.lineage(node);
  for (const [level, { uid }] of lineage.entries()) {
    const path = lineage.slice(0, level + 1).toReversed();
    for (const grant of state.grants.on(uid)) {
      if (!asker.subjects.has(subjectKey(grant.subject))) continue;
      const byName =
        asker.byName && grant.gives.kind === 'permission' && grant.gives.permission === question.permission;
      if (byName || (rolesGivenBy(grant) & wanted) !== NO_ROLES) reasons.push({ kind: 'grant', grant, path });
    }
  }
  return reasons;
}

function denialFor(state: AccessState, asker: Asker, { question, node }: Omit<Asked, 'rule'>): Denial {
  if (!allows(state, unscoped(asker), question)) return 'noGrant';
  return isInScope(state, asker, node) ? 'rolesOutsideScope' : 'outsideScope';
}

/** Omits roles that imply another sufficient role. */
function leastRoles({ roles: wanted }: PermissionRule): Role[] {
  const enough = ROLES.filter((role) => (roleAndImplied(role) & wanted) !== NO_ROLES);
  return enough.filter((role) => !enough.some((other) => other !== role && implies(role, other)));
}

function implies(role: Role, other: Role): boolean {
  return (roleAndImplied(role) & roleAndImplied(other)) === roleAndImplied(other);
}
