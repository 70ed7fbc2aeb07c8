import type { ResourceName } from '#kit/std';
import type { IndexEventType } from '../../domain/index-event.ts';
import type { IndexSchema, SchemaPlace } from '../../domain/index-schema-resource.ts';

export interface SchemaKey {
  readonly workspace: ResourceName;
  readonly name: ResourceName;
}

/** Schemas within one transaction. */
export interface SchemaStore {
  find(key: SchemaKey, signal: AbortSignal): Promise<IndexSchema | undefined>;
  /** All of them: there are few, and callers compare those above and below. */
  all(signal: AbortSignal): Promise<readonly IndexSchema[]>;
  insert(schema: IndexSchema, signal: AbortSignal): Promise<void>;
  /** The stored schema must have the previous version. */
  replace(schema: IndexSchema, signal: AbortSignal): Promise<void>;
  remove(schema: IndexSchema, signal: AbortSignal): Promise<void>;
}

export interface SchemaEvents {
  append(type: IndexEventType, schema: IndexSchema, now: number): Promise<void>;
}

export interface WorkspaceDirectory {
  /** Throws when there is no workspace of that name. */
  require(name: ResourceName, signal: AbortSignal): Promise<SchemaPlace>;
}

/** Everything needed to change a schema, in one transaction. */
export interface SchemaUnit {
  readonly schemas: SchemaStore;
  readonly events: SchemaEvents;
  readonly workspaces: WorkspaceDirectory;
}
