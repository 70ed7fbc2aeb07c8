import type { IndexedSchema } from './access-change.ts';
import { Departed } from './departed.ts';
import { builtInRule, type PermissionRule } from './permission.ts';
import { type ImplyingRole, implyingRoles } from './permission-schema.ts';

interface AddonPermission extends PermissionRule {
  readonly schema: IndexedSchema;
}

/** What every permission takes: ours, which are fixed, and those of addons, which come and go. */
export class PermissionBook {
  readonly #addons = new Map<string, AddonPermission>();
  readonly #names = new Map<string, string>();
  readonly #departed = new Departed();

  /** `undefined`: there is no such permission, and so nobody has it. */
  ruleOf(permission: string): PermissionRule | undefined {
    return builtInRule(permission) ?? this.#addons.get(permission);
  }

  /** `undefined` for a permission of ours, which has no attributes. */
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

/** Uids of version 7 grow with time, so that of two schemas of one name the later has the greater. */
function isNewer(schema: IndexedSchema, there: IndexedSchema): boolean {
  return schema.uid === there.uid ? schema.version > there.version : schema.uid > there.uid;
}
