import { PERMISSIONS, type PermissionName, type Role } from '#contexts/access';
import type { CallerWish } from './callers.ts';

/** A workspace or target, and everything that it is in, up to the root: `['targets/t', 'workspaces/own', 'workspaces/root']`. */
export type Lineage = readonly [string, ...string[]];

/** One thing that an operation asks of its caller. */
export interface Demand {
  readonly permission: string;
  /** What it is asked on. Without it, the instance: what nobody can be unable to see. */
  readonly on: Lineage | undefined;
}

/** What comes of a request that is in order: it gets through, it is refused, or what it names is not there for the caller. */
export type Expected = 'through' | 403 | 404;

const ROOT_LINEAGE: Lineage = ['workspaces/root'];

/** By the table of permissions and what the caller was given, in the plainest way. The demands are asked in order. */
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

/** An admin may do what everybody may, and everybody who was given anything may look. */
function implies(role: Role, needed: Role): boolean {
  return role === 'admin' || role === needed || needed === 'viewer';
}
