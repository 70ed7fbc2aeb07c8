import { type Reader, sql, type Transaction } from '#kit/storage';
import type { SchemaKey, SchemaStore } from '../../application/schemas/ports.ts';
import type { IndexSchema } from '../../domain/index-schema-resource.ts';
import { SCHEMA_COLUMNS, toIndexSchema } from './schema-row.ts';
import { SCHEMAS_TOPIC } from './schemas-topic.ts';

/** For both engines, within one transaction. */
export class SqlSchemaStore implements SchemaStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async find(key: SchemaKey, signal: AbortSignal): Promise<IndexSchema | undefined> {
    signal.throwIfAborted();
    return await findSchema(this.#tx, key);
  }

  async all(signal: AbortSignal): Promise<readonly IndexSchema[]> {
    signal.throwIfAborted();
    return await allSchemas(this.#tx);
  }

  async insert(schema: IndexSchema, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, name, workspace, targetType, kinds, version, createTime, updateTime } = schema;
    await this.#tx.run(
      sql.announce(
        SCHEMAS_TOPIC,
        sql`INSERT INTO index_schemas (${SCHEMA_COLUMNS})
          VALUES (${uid}, ${name}, ${workspace.name}, ${workspace.path}, ${targetType}, ${JSON.stringify(kinds)},
            ${version}, ${createTime}, ${updateTime})`,
      ),
    );
  }

  async replace(schema: IndexSchema, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, targetType, kinds, version, updateTime } = schema;
    const update = sql`
      UPDATE index_schemas SET target_type = ${targetType}, kinds = ${JSON.stringify(kinds)}, version = ${version},
        update_time = ${updateTime}
      WHERE uid = ${uid} AND version = ${version - 1}`;
    await this.#tx.batch([sql.expect(1, sql.announce(SCHEMAS_TOPIC, update))]);
  }

  async remove({ uid }: IndexSchema, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const gone = sql`DELETE FROM index_schemas WHERE uid = ${uid}`;
    await this.#tx.batch([sql.expect(1, sql.announce(SCHEMAS_TOPIC, gone))]);
  }
}

export async function findSchema(reader: Reader, { workspace, name }: SchemaKey): Promise<IndexSchema | undefined> {
  const row = await reader.get(
    sql`SELECT ${SCHEMA_COLUMNS} FROM index_schemas WHERE workspace = ${workspace} AND name = ${name}`,
  );
  return row && toIndexSchema(row);
}

export async function allSchemas(reader: Reader): Promise<readonly IndexSchema[]> {
  return (await reader.all(sql`SELECT ${SCHEMA_COLUMNS} FROM index_schemas ORDER BY uid`)).map(toIndexSchema);
}
