import { FleetError, parseResourceName, parseUuid } from '#kit/std';
import { type Row, sql } from '#kit/storage';
import { AccessError, invalidPermissionSchema } from '../domain/access-error.ts';
import {
  type ImplyingRole,
  PERMISSION_RESOURCE_TYPES,
  type PermissionResourceType,
  type PermissionSchema,
  specFaults,
} from '../domain/permission-schema.ts';
import { isRole } from '../domain/role.ts';
import { isObject, parseObject } from './parse-object.ts';

/** The columns that `toPermissionSchema` reads, by name. */
export const SCHEMA_COLUMNS = sql.raw(
  'name, uid, description, resource_type, attributes_schema, roles, version, create_time, update_time',
);

/** Runs the same checks as on user input, since a restored or repaired database can hold anything. */
export function toPermissionSchema(row: Row): PermissionSchema {
  try {
    const schema: PermissionSchema = {
      name: parseResourceName(String(row['name'])),
      uid: parseUuid(String(row['uid'])),
      description: row['description'] === null ? undefined : String(row['description']),
      resourceType: toResourceType(String(row['resource_type'])),
      attributesSchema: parseObject(String(row['attributes_schema'])),
      roles: toRoles(String(row['roles'])),
      version: Number(row['version']),
      createTime: Number(row['create_time']),
      updateTime: Number(row['update_time']),
    };
    const faults = specFaults(schema);
    if (faults.length > 0) throw invalidPermissionSchema(faults);
    return schema;
  } catch (cause) {
    if (!(cause instanceof FleetError || cause instanceof SyntaxError)) throw cause;
    throw new AccessError('STORED_ACCESS_INVALID', `read permission schema ${String(row['name'])}`, { cause });
  }
}

function toResourceType(raw: string): PermissionResourceType {
  const type = PERMISSION_RESOURCE_TYPES.find((each) => each === raw);
  if (type !== undefined) return type;
  throw invalidPermissionSchema([{ path: '/resourceType', message: `is ${raw}, which this release does not know` }]);
}

function toRoles(text: string): ImplyingRole[] {
  const raw: unknown = JSON.parse(text);
  if (!Array.isArray(raw)) throw new SyntaxError('not a JSON array');
  return raw.map((each: unknown, index) => {
    if (!isObject(each) || !isObject(each['attributes']) || !isRole(String(each['role']))) {
      throw invalidPermissionSchema([{ path: `/roles/${index}`, message: 'is not a role with attributes' }]);
    }
    return each as unknown as ImplyingRole;
  });
}
