import type { Uuid } from '#kit/std';
import { coreKinds } from '../../domain/core-kinds.ts';
import type { IndexSchemaSpec } from '../../domain/index-schema.ts';
import { changeIndexSchema, type IndexSchema, mayMeet, newIndexSchema } from '../../domain/index-schema-resource.ts';
import { conflictsWith } from '../../domain/merge-schemas.ts';
import { indexSchemaNotFound, ResourceIndexError } from '../../domain/resource-index-error.ts';
import type { Precondition, SchemaKey, SchemaUnit } from './ports.ts';

export interface ChangeIndexSchema {
  readonly key: SchemaKey;
  readonly precondition: Precondition;
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

/** What is indexed, beyond what always is. */
export class IndexSchemaService {
  readonly #newUid: () => Uuid;

  constructor({ newUid }: { readonly newUid: () => Uuid }) {
    this.#newUid = newUid;
  }

  /** Makes or changes. One that changes nothing writes nothing and announces nothing. */
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

/** Against all that it can meet on a target, above, beside and below it. */
async function checkOthers({ schemas }: SchemaUnit, schema: IndexSchema, signal: AbortSignal): Promise<void> {
  const others = (await schemas.all(signal)).filter(({ uid }) => uid !== schema.uid);
  if (others.filter(({ workspace }) => workspace.name === schema.workspace.name).length >= MAX_SCHEMAS) {
    throw new ResourceIndexError('TOO_MANY_INDEX_SCHEMAS', `A workspace has at most ${MAX_SCHEMAS} index schemas.`);
  }
  const met = others.filter((other) => other.targetType === schema.targetType && mayMeet(schema, other));
  const faults = conflictsWith(schema.kinds, [
    { of: 'what is always indexed', kinds: coreKinds(schema.targetType) },
    ...met.map(({ name, workspace, kinds }) => ({
      // What a schema of another workspace is called is for those who may see it.
      of: workspace.name === schema.workspace.name ? `the index schema ${name}` : 'one of a workspace above or below',
      kinds,
    })),
  ]);
  if (faults.length === 0) return;
  throw new ResourceIndexError('INDEX_SCHEMA_CONFLICT', 'The index schema contradicts another one.', { faults });
}
