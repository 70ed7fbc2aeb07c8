import { canonicalJson, type FieldFault, type ResourceName, type Uuid } from '#kit/std';
import { invalidPermissionSchema } from './access-error.ts';
import type { Attributes } from './grant.ts';
import { isRole, onlyRole, type Role, type RoleSet } from './role.ts';

/** What an addon's permission is about. Addons see targets, and never a workspace. */
export const PERMISSION_RESOURCE_TYPES = ['target'] as const;
export type PermissionResourceType = (typeof PERMISSION_RESOURCE_TYPES)[number];

/** Whoever has the role has the permission too, with these values. */
export interface ImplyingRole {
  readonly role: Role;
  readonly attributes: Attributes;
}

/** What a person or an addon asks for. */
export interface PermissionSchemaSpec {
  readonly description: string | undefined;
  readonly resourceType: PermissionResourceType;
  /** A JSON Schema of what attribute values may be. */
  readonly attributesSchema: Readonly<Record<string, unknown>>;
  readonly roles: readonly ImplyingRole[];
}

/** A permission that an addon defined. Its name is the permission. */
export interface PermissionSchema extends PermissionSchemaSpec {
  readonly name: ResourceName;
  readonly uid: Uuid;
  /** Counts its changes; everything in it is what somebody asked for. */
  readonly version: number;
  readonly createTime: number;
  readonly updateTime: number;
}

/** What the spec cannot know. */
export interface SchemaFounding {
  readonly name: ResourceName;
  readonly uid: Uuid;
  readonly now: number;
}

export function newPermissionSchema(spec: PermissionSchemaSpec, { name, uid, now }: SchemaFounding): PermissionSchema {
  checkSpec(spec);
  return { ...spec, name, uid, version: 1, createTime: now, updateTime: now };
}

/** The very same value when nothing changes, so that nobody writes or announces it. */
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

/** Any of these roles implies the permission. */
export function implyingRoles({ roles }: Pick<PermissionSchemaSpec, 'roles'>): RoleSet {
  return roles.reduce((all, { role }) => all | onlyRole(role), 0);
}

/** What is wrong with a schema, wherever it comes from: a person or a database. */
export function specFaults({ roles }: PermissionSchemaSpec): FieldFault[] {
  return roles.flatMap(({ role }, index) => {
    if (!isRole(role)) return [{ path: `/roles/${index}/role`, message: `is ${String(role)}, which is no role` }];
    const twice = roles.findIndex((other) => other.role === role) !== index;
    return twice ? [{ path: `/roles/${index}/role`, message: 'is there twice' }] : [];
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
