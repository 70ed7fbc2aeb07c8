import type { ResourceName } from '#kit/std';
import { keyset, type Storage, sql, type Transaction } from '#kit/storage';
import type { PermissionSchemaReader, PermissionSchemaStore } from '../application/ports.ts';
import type { LookupRange } from '../domain/lookup-access.ts';
import type { PermissionSchema } from '../domain/permission-schema.ts';
import { SCHEMA_COLUMNS, toPermissionSchema } from './permission-schema-row.ts';

/** Within one transaction; for both database engines. */
export class SqlPermissionSchemaStore implements PermissionSchemaStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async find(name: ResourceName, signal: AbortSignal): Promise<PermissionSchema | undefined> {
    signal.throwIfAborted();
    const row = await this.#tx.get(sql`SELECT ${SCHEMA_COLUMNS} FROM access_permission_schemas WHERE name = ${name}`);
    return row && toPermissionSchema(row);
  }

  async insert(schema: PermissionSchema, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { name, uid, description = null, resourceType, version, createTime, updateTime } = schema;
    await this.#tx.run(sql`
      INSERT INTO access_permission_schemas
        (name, uid, description, resource_type, attributes_schema, roles, version, create_time, update_time)
      VALUES (${name}, ${uid}, ${description}, ${resourceType}, ${JSON.stringify(schema.attributesSchema)},
        ${JSON.stringify(schema.roles)}, ${version}, ${createTime}, ${updateTime})`);
  }

  async replace(next: PermissionSchema, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, description = null, resourceType, version, updateTime } = next;
    await this.#tx.batch([
      sql.expect(
        1,
        sql`UPDATE access_permission_schemas
          SET description = ${description}, resource_type = ${resourceType},
            attributes_schema = ${JSON.stringify(next.attributesSchema)}, roles = ${JSON.stringify(next.roles)},
            version = ${version}, update_time = ${updateTime}
          WHERE uid = ${uid} AND version = ${version - 1}`,
      ),
    ]);
  }

  async remove({ uid }: PermissionSchema, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#tx.batch([sql.expect(1, sql`DELETE FROM access_permission_schemas WHERE uid = ${uid}`)]);
  }
}

/** Reads the latest committed state; for both database engines. */
export class SqlPermissionSchemaReader implements PermissionSchemaReader {
  readonly #storage: Pick<Storage, 'all' | 'get'>;

  constructor(storage: Pick<Storage, 'all' | 'get'>) {
    this.#storage = storage;
  }

  async find(name: ResourceName, signal: AbortSignal): Promise<PermissionSchema | undefined> {
    const row = await this.#storage.get(
      sql`SELECT ${SCHEMA_COLUMNS} FROM access_permission_schemas WHERE name = ${name}`,
      signal,
    );
    return row && toPermissionSchema(row);
  }

  async list({ after, limit }: LookupRange, signal: AbortSignal): Promise<readonly PermissionSchema[]> {
    const page = keyset({ columns: ['name'], after: after === undefined ? undefined : [after], limit });
    const rows = await this.#storage.all(
      sql`SELECT ${SCHEMA_COLUMNS} FROM access_permission_schemas WHERE ${page.where} ${page.tail}`,
      signal,
    );
    return rows.map(toPermissionSchema);
  }
}
