import { canonicalJson, type ResourceName, type Uuid } from '#kit/std';
import { withDefaults } from './core-kinds.ts';
import { type IndexSchemaSpec, plain } from './index-schema.ts';
import { invalidIndexSchema } from './resource-index-error.ts';
import { schemaFaults } from './schema-faults.ts';

/** Where a schema holds: for the targets in this workspace and below it. In the root it holds for all. */
export interface SchemaPlace {
  readonly name: ResourceName;
  /** `/root/emea/web/` */
  readonly path: string;
}

/** What a person asked to have indexed. */
export interface IndexSchema extends IndexSchemaSpec {
  readonly uid: Uuid;
  /** Unique in its workspace. */
  readonly name: ResourceName;
  readonly workspace: SchemaPlace;
  /** Counts its changes. */
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

/** The very same value when nothing changes, so that nobody writes or announces it. */
export function changeIndexSchema(current: IndexSchema, spec: IndexSchemaSpec, now: number): IndexSchema {
  const next = checked(spec);
  if (contentOf(next) === contentOf(current)) return current;
  return { ...current, ...next, version: current.version + 1, updateTime: Math.max(now, current.updateTime) };
}

/** Whether there can be a target for which both hold. */
export function mayMeet(one: Pick<IndexSchema, 'workspace'>, other: Pick<IndexSchema, 'workspace'>): boolean {
  const [{ path: first }, { path: second }] = [one.workspace, other.workspace];
  return first.startsWith(second) || second.startsWith(first);
}

/** Those that hold for a target, from the root down, and by name where they are of one workspace. */
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
