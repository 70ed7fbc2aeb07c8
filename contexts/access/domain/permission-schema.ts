import { canonicalJson, type FieldFault, type ResourceName, type Uuid } from '#kit/std';
import { invalidPermissionSchema } from './access-error.ts';
import type { Attributes } from './grant.ts';
import { isRole, onlyRole, type Role, type RoleSet } from './role.ts';

/** The kinds of resources that an addon's permission can be about. Addons see targets, never workspaces. */
export const PERMISSION_RESOURCE_TYPES = ['target'] as const;
export type PermissionResourceType = (typeof PERMISSION_RESOURCE_TYPES)[number];

/** Holders of the role also have the permission, with these values. */
export interface ImplyingRole {
  readonly role: Role;
  readonly attributes: Attributes;
}

/** The schema as a person or an addon requests it. */
export interface PermissionSchemaSpec {
  readonly description: string | undefined;
  readonly resourceType: PermissionResourceType;
  /** A JSON Schema for the attribute values. */
  readonly attributesSchema: Readonly<Record<string, unknown>>;
  readonly roles: readonly ImplyingRole[];
}

/** A permission defined by an addon. The name of the schema is the name of the permission. */
export interface PermissionSchema extends PermissionSchemaSpec {
  readonly name: ResourceName;
  readonly uid: Uuid;
  /** Counts the changes; every field is set by requests only, so this is also the generation. */
  readonly version: number;
  readonly createTime: number;
  readonly updateTime: number;
}

/** The parts of a schema that do not come from the spec. */
export interface SchemaFounding {
  readonly name: ResourceName;
  readonly uid: Uuid;
  readonly now: number;
}

export function newPermissionSchema(spec: PermissionSchemaSpec, { name, uid, now }: SchemaFounding): PermissionSchema {
  checkSpec(spec);
  return { ...spec, name, uid, version: 1, createTime: now, updateTime: now };
}

/** Returns the same object when nothing changes, so that callers write nothing and emit no event. */
export function changePermissionSchema(
  current: PermissionSchema,
  spec: PermissionSchemaSpec,
  now: number,
): PermissionSchema {
  checkSpec(spec);
  if (sameSpec(current, spec)) return current;
  const { name, uid, createTime, version } = current;
  return { ...spec, name, uid, createTime, version: version + 1, updateTime: Math.max(now, current.updateTime) };
}

/** The set of roles that imply the permission. */
export function implyingRoles({ roles }: Pick<PermissionSchemaSpec, 'roles'>): RoleSet {
  return roles.reduce((all, { role }) => all | onlyRole(role), 0);
}

/** The faults of a spec, whether it comes from a request or from the database. */
export function specFaults({ roles }: PermissionSchemaSpec): FieldFault[] {
  return roles.flatMap(({ role }, index) => {
    if (!isRole(role)) return [{ path: `/roles/${index}/role`, message: `is ${String(role)}, which is not a role` }];
    const twice = roles.findIndex((other) => other.role === role) !== index;
    return twice ? [{ path: `/roles/${index}/role`, message: 'is a duplicate' }] : [];
  });
}

function checkSpec(spec: PermissionSchemaSpec): void {
  const faults = specFaults(spec);
  if (faults.length > 0) throw invalidPermissionSchema(faults);
}

function sameSpec(a: PermissionSchemaSpec, b: PermissionSchemaSpec): boolean {
  return canonicalJson(contentOf(a)) === canonicalJson(contentOf(b));
}

function contentOf({ description, resourceType, attributesSchema, roles }: PermissionSchemaSpec): unknown {
  return { description: description ?? null, resourceType, attributesSchema, roles };
}
