import { canonicalJson, type ResourceName, type Uuid } from '#kit/std';
import { withDefaults } from './core-kinds.ts';
import { type IndexSchemaSpec, plain } from './index-schema.ts';
import { invalidIndexSchema } from './resource-index-error.ts';
import { schemaFaults } from './schema-faults.ts';

/** Where a schema applies: to the targets of this workspace and below it. A schema of the root applies to all targets. */
export interface SchemaPlace {
  readonly name: ResourceName;
  /** `/root/emea/web/` */
  readonly path: string;
}

/** A schema created by a user. */
export interface IndexSchema extends IndexSchemaSpec {
  readonly uid: Uuid;
  /** Unique in its workspace. */
  readonly name: ResourceName;
  readonly workspace: SchemaPlace;
  /** Incremented with each change. */
  readonly version: number;
  readonly createTime: number;
  readonly updateTime: number;
}

export interface SchemaFounding {
  readonly uid: Uuid;
  readonly name: ResourceName;
  readonly workspace: SchemaPlace;
  readonly now: number;
}

export function newIndexSchema(spec: IndexSchemaSpec, { uid, name, workspace, now }: SchemaFounding): IndexSchema {
  return { ...checked(spec), uid, name, workspace, version: 1, createTime: now, updateTime: now };
}

/** Returns the same object when nothing changes, so that nothing is written or announced. */
export function changeIndexSchema(current: IndexSchema, spec: IndexSchemaSpec, now: number): IndexSchema {
  const next = checked(spec);
  if (contentOf(next) === contentOf(current)) return current;
  return { ...current, ...next, version: current.version + 1, updateTime: Math.max(now, current.updateTime) };
}

/** Whether both may apply to the same target. */
export function mayMeet(one: Pick<IndexSchema, 'workspace'>, other: Pick<IndexSchema, 'workspace'>): boolean {
  const [{ path: first }, { path: second }] = [one.workspace, other.workspace];
  return first.startsWith(second) || second.startsWith(first);
}

/** The schemas that apply to a target, from the root down, and by name within a workspace. */
export function holdingFor(
  schemas: readonly IndexSchema[],
  { targetType, path }: { readonly targetType: string; readonly path: string },
): readonly IndexSchema[] {
  return schemas
    .filter((schema) => schema.targetType === targetType && path.startsWith(schema.workspace.path))
    .sort((one, other) => one.workspace.path.length - other.workspace.path.length || (one.name < other.name ? -1 : 1));
}

function checked({ targetType, kinds }: IndexSchemaSpec): IndexSchemaSpec {
  const spec = { targetType, kinds: kinds.map(withDefaults) };
  const faults = schemaFaults(spec);
  if (faults.length > 0) throw invalidIndexSchema(faults);
  return spec;
}

function contentOf({ targetType, kinds }: IndexSchemaSpec): string {
  return canonicalJson({ targetType, kinds: kinds.map(plain) });
}
