import type { AccessState } from './access-state.ts';
import type { Asker } from './asker.ts';
import { type Attributes, distinctAttributes } from './grant.ts';
import type { Held } from './grant-book.ts';
import type { PermissionRule } from './permission.ts';
import { isSameResource, type ResourceRef, ROOT } from './resource-ref.ts';
import type { ResourceNode } from './resource-tree.ts';
import { ALL_ROLES, includesRole, NO_ROLES, type RoleSet } from './role.ts';

export interface Question {
  readonly permission: string;
  readonly resource: ResourceRef;
}

/** Denies unknown permissions and unknown resources. */
export function allows(state: AccessState, asker: Asker, { permission, resource }: Question): boolean {
  const rule = state.permissions.ruleOf(permission);
  const node = rule && nodeAskedOn(state, rule, resource);
  if (node === undefined) return false;
  if ((rolesOn(state, asker, node) & (rule?.roles ?? NO_ROLES)) !== 0) return true;
  // Only addons' permissions can be granted by name.
  if (!asker.byName || state.permissions.rolesImplying(permission) === undefined) return false;
  return grantedByName(state, asker, { permission, node }).length > 0;
}

/**
 * The sets of attribute values with which the asker has an addon's permission; any one suffices. Empty: not allowed.
 */
export function attributesOn(state: AccessState, asker: Asker, { permission, resource }: Question): Attributes[] {
  const implying = state.permissions.rolesImplying(permission);
  const node = state.tree.find(resource);
  if (implying === undefined || node === undefined) return [];
  const roles = rolesOn(state, asker, node);
  const implied = implying.filter(({ role }) => includesRole(roles, role)).map(({ attributes }) => attributes);
  const named = asker.byName ? grantedByName(state, asker, { permission, node }) : [];
  return distinctAttributes([...implied, ...named]);
}

/** Instance-wide permissions are decided at the root, whichever resource the question names. */
export function nodeAskedOn(
  state: AccessState,
  { reach }: PermissionRule,
  resource: ResourceRef,
): ResourceNode | undefined {
  const node = state.tree.find(resource);
  return node !== undefined && reach === 'instance' ? state.tree.find(ROOT) : node;
}

/**
 * The roles that the asker has on the node: those granted to it or its groups there or further up, within the limits of
 * its token.
 *
 * DECISION: walk up the tree, and cache nothing. The walk has at most 18 steps, each of which scans the shorter of two
 * lists: the subjects with grants on the node, and the subjects of the asker. A cached answer would have to be found
 * and dropped at every move and grant. (ADR-0024)
 */
export function rolesOn(state: AccessState, asker: Asker, node: ResourceNode): RoleSet {
  let roles = asker.instanceAdmin ? ALL_ROLES : NO_ROLES;
  let inScope = asker.within === undefined;
  const join = (held: Held): void => {
    roles |= held.roles;
  };
  for (const at of state.tree.lineage(node)) {
    inScope ||= asker.within !== undefined && isSameResource(at, asker.within);
    state.grants.visitHeld(at.uid, asker.subjects, join);
  }
  return inScope ? roles & asker.roles : NO_ROLES;
}

export function isInScope({ tree }: AccessState, { within }: Asker, node: ResourceNode): boolean {
  return within === undefined || tree.lineage(node).some((at) => isSameResource(at, within));
}

interface Named {
  readonly permission: string;
  readonly node: ResourceNode;
}

function grantedByName(state: AccessState, asker: Asker, { permission, node }: Named): Attributes[] {
  if (!isInScope(state, asker, node)) return [];
  const found: Attributes[] = [];
  for (const { uid } of state.tree.lineage(node)) {
    state.grants.visitHeld(uid, asker.subjects, ({ grants }) => {
      for (const { gives } of grants) {
        if (gives.kind === 'permission' && gives.permission === permission) found.push(gives.attributes);
      }
    });
  }
  return found;
}
