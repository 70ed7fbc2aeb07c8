export const ROLES = ['viewer', 'deployer', 'approver', 'cluster-viewer', 'cluster-editor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** A set of roles as bits, so that checks combine and compare sets without allocating. */
export type RoleSet = number;

export const NO_ROLES: RoleSet = 0;
export const ALL_ROLES: RoleSet = 0b111111;

const BIT: Readonly<Record<Role, RoleSet>> = {
  viewer: 0b000001,
  deployer: 0b000010,
  approver: 0b000100,
  admin: 0b001000,
  'cluster-viewer': 0b010000,
  'cluster-editor': 0b100000,
};

/**
 * Roles that act on something include viewing it; an admin has every role.
 *
 * DECISION: no other role implies those for the clusters themselves. Deploying goes through placements, gates and approvals,
 * kubectl around them: a pipeline that may do the one must be told that it may do the other.
 */
const IMPLIED: Readonly<Record<Role, RoleSet>> = {
  viewer: 0b000001,
  deployer: 0b000011,
  approver: 0b000101,
  'cluster-viewer': 0b010001,
  'cluster-editor': 0b110001,
  admin: ALL_ROLES,
};

/** The role alone, as a permission requires it. */
export function onlyRole(role: Role): RoleSet {
  return BIT[role];
}

/** The role and the roles it implies, as its holder has them. */
export function roleAndImplied(role: Role): RoleSet {
  return IMPLIED[role];
}

export function includesRole(roles: RoleSet, role: Role): boolean {
  return (roles & BIT[role]) !== 0;
}

export function isRole(raw: string): raw is Role {
  return ROLES.some((role) => role === raw);
}
