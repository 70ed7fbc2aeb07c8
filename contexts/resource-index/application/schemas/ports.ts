import type { ResourceName } from '#kit/std';
import type { IndexEventType } from '../../domain/index-event.ts';
import type { IndexSchema, SchemaPlace } from '../../domain/index-schema-resource.ts';

export interface SchemaKey {
  readonly workspace: ResourceName;
  readonly name: ResourceName;
}

/** Schemas as one transaction sees them. */
export interface SchemaStore {
  find(key: SchemaKey, signal: AbortSignal): Promise<IndexSchema | undefined>;
  /** All of them: there are few, and whoever asks looks at those above and below. */
  all(signal: AbortSignal): Promise<readonly IndexSchema[]>;
  insert(schema: IndexSchema, signal: AbortSignal): Promise<void>;
  /** What is there has the version before this one. */
  replace(schema: IndexSchema, signal: AbortSignal): Promise<void>;
  remove(schema: IndexSchema, signal: AbortSignal): Promise<void>;
}

export interface SchemaEvents {
  append(type: IndexEventType, schema: IndexSchema, now: number): Promise<void>;
}

export interface WorkspaceDirectory {
  /** Throws when there is none of that name. */
  require(name: ResourceName, signal: AbortSignal): Promise<SchemaPlace>;
}

/** What a schema is changed with, all in one transaction. */
export interface SchemaUnit {
  readonly schemas: SchemaStore;
  readonly events: SchemaEvents;
  readonly workspaces: WorkspaceDirectory;
}

/** Throws when the caller expects another state. */
export interface Precondition {
  check(current: IndexSchema | undefined): void;
}
