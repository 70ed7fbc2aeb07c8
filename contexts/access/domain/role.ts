export const ROLES = ['viewer', 'deployer', 'approver', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** A set of roles as bits, so that checks combine and compare sets without allocating. */
export type RoleSet = number;

export const NO_ROLES: RoleSet = 0;
export const ALL_ROLES: RoleSet = 0b1111;

const BIT: Readonly<Record<Role, RoleSet>> = { viewer: 0b0001, deployer: 0b0010, approver: 0b0100, admin: 0b1000 };

/** Deployers and approvers can view what they act on; an admin has every role. */
const IMPLIED: Readonly<Record<Role, RoleSet>> = {
  viewer: 0b0001,
  deployer: 0b0011,
  approver: 0b0101,
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
