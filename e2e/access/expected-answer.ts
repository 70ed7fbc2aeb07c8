import { PERMISSIONS, type PermissionName, type Role } from '#contexts/access';
import type { CallerWish } from './callers.ts';

/** A workspace or target followed by its ancestors up to the root: `['targets/t', 'workspaces/own', 'workspaces/root']`. */
export type Lineage = readonly [string, ...string[]];

/** A permission that an operation requires of its caller. */
export interface Demand {
  readonly permission: string;
  /** The object the permission is required on. Undefined means the instance, which every caller may see. */
  readonly on: Lineage | undefined;
}

/** The outcome of a valid request: it is let through, refused (403), or the object looks absent to the caller (404). */
export type Expected = 'through' | 403 | 404;

const ROOT_LINEAGE: Lineage = ['workspaces/root'];

/**
 * Derives the answer from the permission table and the caller's grants, as simply as possible. Demands are checked in
 * order.
 */
export function expectedOf(caller: Pick<CallerWish, 'given' | 'scope'>, demands: readonly Demand[]): Expected {
  for (const { permission, on } of demands) {
    const seeing = on?.[0].startsWith('targets/') ? 'targets.read' : 'workspaces.read';
    if (on !== undefined && !has(caller, seeing, on)) return 404;
    if (!has(caller, permission, on ?? ROOT_LINEAGE)) return 403;
  }
  return 'through';
}

export function has(
  { given = [], scope = {} }: Pick<CallerWish, 'given' | 'scope'>,
  permission: string,
  on: Lineage,
): boolean {
  const rule = isPermission(permission) ? PERMISSIONS[permission] : undefined;
  if (rule === undefined) return false;
  const where = rule.reach === 'instance' ? ROOT_LINEAGE : on;
  if (scope.within !== undefined && !where.includes(scope.within)) return false;
  const roles = given.filter((one) => where.includes(one.on)).map(({ role }) => role);
  const narrowed = scope.roles;
  return (
    roles.some((role) => implies(role, rule.role)) &&
    (narrowed === undefined || narrowed.some((role) => implies(role, rule.role)))
  );
}

export function isPermission(permission: string): permission is PermissionName {
  return Object.hasOwn(PERMISSIONS, permission);
}

/** `admin` implies every role, and every role implies `viewer`. */
function implies(role: Role, needed: Role): boolean {
  return role === 'admin' || role === needed || needed === 'viewer';
}
