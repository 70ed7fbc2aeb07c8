import type { IndexedSchema } from './access-change.ts';
import { Departed } from './departed.ts';
import { builtInRule, type PermissionRule } from './permission.ts';
import { type ImplyingRole, implyingRoles } from './permission-schema.ts';

interface AddonPermission extends PermissionRule {
  readonly schema: IndexedSchema;
}

/** The rules of all permissions: the fixed built-in ones, and those that addons define. */
export class PermissionBook {
  readonly #addons = new Map<string, AddonPermission>();
  readonly #names = new Map<string, string>();
  readonly #departed = new Departed();

  /** `undefined`: the permission does not exist, so it is always denied. */
  ruleOf(permission: string): PermissionRule | undefined {
    return builtInRule(permission) ?? this.#addons.get(permission);
  }

  /** `undefined` for a built-in permission, which has no attributes. */
  rolesImplying(permission: string): readonly ImplyingRole[] | undefined {
    return this.#addons.get(permission)?.schema.roles;
  }

  put(schema: IndexedSchema): void {
    if (this.#departed.has(schema.uid)) return;
    const there = this.#addons.get(schema.name)?.schema;
    if (there !== undefined && !isNewer(schema, there)) return;
    if (there !== undefined) this.#names.delete(there.uid);
    this.#names.set(schema.uid, schema.name);
    this.#addons.set(schema.name, { schema, reach: 'target', roles: implyingRoles(schema) });
  }

  remove(uid: string): void {
    this.#departed.add(uid);
    const name = this.#names.get(uid);
    if (name === undefined) return;
    this.#names.delete(uid);
    this.#addons.delete(name);
  }
}

/** UUIDv7 uids grow with time: of two schemas with one name, the later has the greater uid. */
function isNewer(schema: IndexedSchema, there: IndexedSchema): boolean {
  return schema.uid === there.uid ? schema.version > there.version : schema.uid > there.uid;
}
