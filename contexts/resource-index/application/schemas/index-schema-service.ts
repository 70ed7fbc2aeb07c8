import type { Precondition, Uuid } from '#kit/std';
import { coreKinds } from '../../domain/core-kinds.ts';
import type { IndexSchemaSpec } from '../../domain/index-schema.ts';
import { changeIndexSchema, type IndexSchema, mayMeet, newIndexSchema } from '../../domain/index-schema-resource.ts';
import { conflictsWith } from '../../domain/merge-schemas.ts';
import { indexSchemaNotFound, ResourceIndexError } from '../../domain/resource-index-error.ts';
import type { SchemaKey, SchemaUnit } from './ports.ts';

export interface ChangeIndexSchema {
  readonly key: SchemaKey;
  readonly precondition: Precondition<IndexSchema | undefined>;
  readonly now: number;
}

export interface PutIndexSchema extends ChangeIndexSchema {
  readonly spec: IndexSchemaSpec;
}

export interface PutOutcome {
  readonly schema: IndexSchema;
  readonly before: IndexSchema | undefined;
}

const MAX_SCHEMAS = 50;

/** Manages the index schemas, which extend the built-in kinds. */
export class IndexSchemaService {
  readonly #newUid: () => Uuid;

  constructor({ newUid }: { readonly newUid: () => Uuid }) {
    this.#newUid = newUid;
  }

  /** Creates or replaces a schema. A put that changes nothing writes and announces nothing. */
  async put(unit: SchemaUnit, command: PutIndexSchema, signal: AbortSignal): Promise<PutOutcome> {
    const { key, spec, precondition, now } = command;
    const before = await unit.schemas.find(key, signal);
    precondition.check(before);
    const schema =
      before === undefined ? await this.#made(unit, command, signal) : changeIndexSchema(before, spec, now);
    if (schema === before) return { schema, before };
    await checkOthers(unit, schema, signal);
    if (before === undefined) await unit.schemas.insert(schema, signal);
    else await unit.schemas.replace(schema, signal);
    await unit.events.append(before === undefined ? 'indexSchema.created' : 'indexSchema.updated', schema, now);
    return { schema, before };
  }

  async delete(unit: SchemaUnit, command: ChangeIndexSchema, signal: AbortSignal): Promise<IndexSchema> {
    const { key, precondition, now } = command;
    const schema = await unit.schemas.find(key, signal);
    if (schema === undefined) throw indexSchemaNotFound(key.name);
    precondition.check(schema);
    await unit.schemas.remove(schema, signal);
    await unit.events.append('indexSchema.deleted', schema, now);
    return schema;
  }

  async #made(unit: SchemaUnit, { key, spec, now }: PutIndexSchema, signal: AbortSignal): Promise<IndexSchema> {
    const workspace = await unit.workspaces.require(key.workspace, signal);
    return newIndexSchema(spec, { uid: this.#newUid(), name: key.name, workspace, now });
  }
}

/** Checks for conflicts with all schemas that may apply to the same target: above, beside and below. */
async function checkOthers({ schemas }: SchemaUnit, schema: IndexSchema, signal: AbortSignal): Promise<void> {
  const others = (await schemas.all(signal)).filter(({ uid }) => uid !== schema.uid);
  if (others.filter(({ workspace }) => workspace.name === schema.workspace.name).length >= MAX_SCHEMAS) {
    throw new ResourceIndexError('TOO_MANY_INDEX_SCHEMAS', `A workspace has at most ${MAX_SCHEMAS} index schemas.`);
  }
  const met = others.filter((other) => other.targetType === schema.targetType && mayMeet(schema, other));
  const faults = conflictsWith(schema.kinds, [
    { of: 'the built-in schema', kinds: coreKinds(schema.targetType) },
    ...met.map(({ name, workspace, kinds }) => ({
      // The name of a schema in another workspace is visible only to callers who may read it.
      of:
        workspace.name === schema.workspace.name
          ? `the index schema ${name}`
          : 'an index schema of a workspace above or below',
      kinds,
    })),
  ]);
  if (faults.length === 0) return;
  throw new ResourceIndexError('INDEX_SCHEMA_CONFLICT', 'The index schema conflicts with another one.', { faults });
}
